import { Graph as Layout, layout } from '@dagrejs/dagre';
import type { Graph, Way } from './stateGraph.ts';

export type Point = { readonly x: number; readonly y: number };
export type PlacedState = Point & {
  readonly id: string;
  readonly width: number;
  readonly lines: readonly string[];
};
export type PlacedWay = Way & {
  readonly points: readonly Point[];
  readonly label: Point & { readonly width: number };
  readonly text: string;
};
export type Placed = {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly ways: readonly PlacedWay[];
};

export const stateHeight = 34;
export const labelHeight = 17;
/** The widths of letters in bold, as the current state's are. */
const letter = 7.9;
const capital = 9.4;
const smallLetter = 6.3;
const longest = 26;

export const shorten = (text: string, length = longest): string => {
  const letters = [...text];
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}…`;
};

/** As wide as the text is drawn: some letters are much wider than most. */
function measure(text: string): number {
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  return Math.max((text.length - capitals) * letter + capitals * capital, measureDrawn(text, 12.5));
}

const measureLabel = (text: string) => Math.max(text.length * smallLetter, measureDrawn(text, 11)) + 10;

const ruler = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');

/** The width in the page's typeface, in bold; 0 without a page. */
function measureDrawn(text: string, size: number): number {
  if (!ruler) return 0;
  ruler.font = `600 ${size}px ${getComputedStyle(document.documentElement).fontFamily}`;
  return Math.ceil(ruler.measureText(text).width);
}

/** Places states and ways from top to bottom, with room for names. */
export function layoutGraph({ states, ways, nameOf }: Graph): Placed {
  const graph = new Layout({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 30, edgesep: 14, marginx: 14, marginy: 14 });
  graph.setDefaultEdgeLabel(() => ({}));
  const widthOf = (id: string) => Math.max(64, measure(shorten(id)) + 28);
  for (const { id } of states) graph.setNode(id, { width: widthOf(id), height: stateHeight });
  const texts = ways.map(({ inputs }) => shorten(inputs.map(nameOf).join(' · '), 34));
  for (const [at, { from, to }] of ways.entries()) {
    const width = measureLabel(texts[at] ?? '');
    graph.setEdge(from, to, { width, height: labelHeight, labelpos: 'c' }, String(at));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    states: states.map(({ id }) => {
      const { x, y } = graph.node(id);
      return { id, x, y, width: widthOf(id), lines: [shorten(id)] };
    }),
    ways: ways.map((way, at) => {
      const text = texts[at] ?? '';
      const edge = graph.edge(way.from, way.to, String(at));
      const points: Point[] = edge.points ?? [];
      const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
      const label = { x: edge.x ?? middle.x, y: edge.y ?? middle.y, width: measureLabel(text) };
      return { ...way, points, label, text };
    }),
  };
}

/** A smooth line through points, as an SVG path. */
export function drawLine(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${round(first.x)} ${round(first.y)}`];
  for (let at = 0; at < rest.length - 1; at++) {
    const [point, next] = [rest[at], rest[at + 1]];
    if (!point || !next) continue;
    const end = at === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    parts.push(`Q${round(point.x)} ${round(point.y)} ${round(end.x)} ${round(end.y)}`);
  }
  const [only] = rest;
  if (rest.length === 1 && only) parts.push(`L${round(only.x)} ${round(only.y)}`);
  return parts.join('');
}

const round = (value: number) => Math.round(value * 10) / 10;
