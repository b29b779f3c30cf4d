import { useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { texts } from '../texts/texts.ts';
import { drawLine, labelHeight, layoutGraph, stateHeight } from './layoutGraph.ts';
import { type Graph, keyOfWay, type Standing } from './stateGraph.ts';
import { StateTable } from './stateTable.tsx';
import { usePanZoom } from './usePanZoom.ts';

const words = texts.diagram;

type StateDiagramProps = {
  readonly graph: Graph;
  readonly standing?: Standing | undefined;
  /** Inputs accepted now, with their senders in words. */
  readonly possible?: ReadonlyMap<string, string> | undefined;
};

/** States and the ways between them, as a diagram that can be moved and zoomed, or as a table. */
export function StateDiagram({ graph, standing, possible }: StateDiagramProps) {
  const [isTable, setTable] = useState(false);
  return (
    <section aria-label={words.title}>
      <div class="section-head">
        <h2>{words.title}</h2>
        <Button kind="plain" onPress={() => setTable(!isTable)}>
          {isTable ? words.asDiagram : words.asTable}
        </Button>
      </div>
      {isTable ? (
        <StateTable graph={graph} standing={standing} possible={possible} />
      ) : (
        <Drawing graph={graph} standing={standing} possible={possible} />
      )}
    </section>
  );
}

function Drawing({ graph, standing, possible }: StateDiagramProps) {
  const placed = useMemo(() => layoutGraph(graph), [graph]);
  const frame = useRef<SVGSVGElement>(null);
  const current = placed.states.find(({ id }) => id === standing?.current);
  const view = usePanZoom(frame, { size: placed, focus: current });
  const isPossible = (from: string, inputs: readonly string[]) =>
    from === standing?.current && inputs.some((input) => possible?.has(input));
  return (
    <figure class="diagram">
      <svg
        ref={frame}
        viewBox={view.box}
        tabindex={0}
        role="img"
        aria-label={words.label}
        // As high as the drawing, within the style sheet's limits.
        style={{ '--drawing': `${Math.ceil(placed.height)}px` }}
        {...view.handlers}
      >
        <defs>
          {['plain', 'taken', 'open'].map((kind) => (
            <marker
              key={kind}
              id={`arrow-${kind}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto-start-reverse"
            >
              <path d="M0 0.8 L8 4 L0 7.2 z" class={`arrow ${kind}`} />
            </marker>
          ))}
        </defs>
        {placed.ways.map((way) => {
          const kind = isPossible(way.from, way.inputs)
            ? 'open'
            : standing?.taken.has(keyOfWay(way))
              ? 'taken'
              : 'plain';
          const by = way.inputs.map((input) => possible?.get(input)).find((each) => each !== undefined);
          return (
            <g key={keyOfWay(way)} class={`way ${kind}`}>
              <title>
                {`${way.from} → ${way.to}: ${way.inputs.map(graph.nameOf).join(', ')}`}
                {kind === 'open' && by ? ` (${by})` : ''}
              </title>
              <path d={drawLine(way.points)} marker-end={`url(#arrow-${kind})`} />
              <rect
                x={way.label.x - way.label.width / 2}
                y={way.label.y - labelHeight / 2}
                width={way.label.width}
                height={labelHeight}
              />
              <text x={way.label.x} y={way.label.y} dy="0.33em">
                {way.text}
              </text>
            </g>
          );
        })}
        {placed.states.map(({ id, x, y, width, lines }) => {
          const isEnd = !graph.ways.some(({ from }) => from === id);
          const isCurrent = id === standing?.current;
          const kind = isCurrent ? 'current' : standing?.visited.has(id) ? 'visited' : '';
          return (
            <g key={id} class={`state ${kind} ${isEnd ? 'end' : ''}`}>
              <title>
                {id}
                {isCurrent ? ` (${words.current})` : ''}
              </title>
              <rect
                x={x - width / 2}
                y={y - stateHeight / 2}
                width={width}
                height={stateHeight}
                rx={isEnd ? 17 : 3}
              />
              {id === graph.initial && <circle cx={x - width / 2} cy={y} r="4" />}
              <text x={x} y={y} dy="0.33em">
                {lines[0]}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption class="row small">
        <span class="legend initial">{words.legendInitial}</span>
        {standing && (
          <>
            <span class="legend current">{words.legendCurrent}</span>
            <span class="legend taken">{words.legendPassed}</span>
            <span class="legend open">{words.legendPossible}</span>
          </>
        )}
        <span class="tools">
          <Button kind="plain" isQuick label={words.zoomOut} onPress={() => view.zoom(1 / 1.3)}>
            −
          </Button>
          <Button kind="plain" isQuick label={words.zoomIn} onPress={() => view.zoom(1.3)}>
            +
          </Button>
          <Button kind="plain" onPress={view.fit}>
            {words.fit}
          </Button>
        </span>
        <span class="soft keys">{words.keys}</span>
      </figcaption>
    </figure>
  );
}
