import { layOutStates, type PlacedState, rowHeight, type StateLayout, shortenLabel } from './layOutStates.ts';
import type { StateGraph } from './readStates.ts';

const style = [
  'text{font:13px system-ui,sans-serif;fill:#1f2328;text-anchor:middle}',
  '.label{font-size:11px;fill:#57606a;paint-order:stroke;stroke:#fff;stroke-width:4px}',
  'rect{fill:#f6f8fa;stroke:#57606a}',
  '.final rect{stroke-width:3}',
  '.current rect{fill:#ddf4ff;stroke:#0969da;stroke-width:2.5}',
  'path{fill:none;stroke:#57606a;stroke-width:1.3;marker-end:url(#arrow)}',
].join('');

/** A state diagram as a self-contained SVG image. Final states have a thick border. */
export function drawSvg(graph: StateGraph, current: string | undefined): string {
  const layout = layOutStates(graph);
  const places = new Map(layout.states.map((state) => [state.id, state]));
  const leaving = new Set(graph.transitions.filter(({ from, to }) => from !== to).map(({ from }) => from));
  const first = graph.initial === undefined ? undefined : places.get(graph.initial);
  const half = layout.boxHeight / 2;
  const ways = graph.transitions.map(({ from, to, inputs }, at) => {
    const [start, end] = [places.get(from), places.get(to)];
    return start && end ? drawWay({ start, end, label: inputs.join(', '), half, at }) : '';
  });
  const boxes = layout.states.map((state) => {
    const kinds = [...(leaving.has(state.id) ? [] : ['final']), ...(state.id === current ? ['current'] : [])];
    return drawBox(state, { half, kinds: kinds.join(' ') });
  });
  const { width, height } = layout;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="img">`,
    `<style>${style}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" style="fill:#57606a;stroke:none;marker-end:none"/></marker></defs>',
    background(layout),
    ...(first ? [`<path d="M${round(first.x)} 12V${round(first.y - half)}"/>`] : []),
    ...ways,
    ...boxes,
    '</svg>',
  ].join('\n');
}

function background({ width, height }: StateLayout): string {
  return `<rect width="${round(width)}" height="${round(height)}" style="fill:#fff;stroke:none"/>`;
}

function drawBox({ id, x, y, width }: PlacedState, { half, kinds }: { half: number; kinds: string }): string {
  const place = `x="${round(x - width / 2)}" y="${round(y - half)}" width="${round(width)}" height="${half * 2}"`;
  const label = `<text x="${round(x)}" y="${round(y + 4.5)}">${escapeXml(shortenLabel(id))}</text>`;
  return `<g class="${kinds}"><title>${escapeXml(id)}</title><rect rx="8" ${place}/>${label}</g>`;
}

type Way = { start: PlacedState; end: PlacedState; label: string; half: number; at: number };

/**
 * A straight line to the next row. Longer ways go down around the left side and back around the right, each
 * at its own distance.
 */
function drawWay(way: Way): string {
  const { start, end, label, half, at } = way;
  const rows = (end.y - start.y) / rowHeight;
  const drawn = rows === 1 ? drawStep({ start, end, half, at }) : drawAround({ start, end, rows, at });
  const text = `<text class="label" x="${round(drawn.x)}" y="${round(drawn.y)}">${escapeXml(shortenLabel(label))}</text>`;
  return `<path d="${drawn.d}"/>${text}`;
}

function drawStep({ start, end, half, at }: Omit<Way, 'label'>) {
  const [from, to] = [start.y + half, end.y - half];
  const y = (from + to) / 2;
  const [x1, x2] = [round(start.x), round(end.x)];
  const d = `M${x1} ${round(from)}C${x1} ${round(y)} ${x2} ${round(y)} ${x2} ${round(to)}`;
  return { d, x: (start.x + end.x) / 2, y: y + ((at % 3) - 1) * 13 };
}

function drawAround({ start, end, rows, at }: Omit<Way, 'label' | 'half'> & { rows: number }) {
  const sign = rows > 1 ? -1 : 1;
  const edgeOf = ({ x, width }: PlacedState) => x + (sign * width) / 2;
  const [x1, x2] = [edgeOf(start), edgeOf(end)];
  const [y1, y2] = [start.y - 4, end.y + 4];
  const outermost = sign < 0 ? Math.min(x1, x2) : Math.max(x1, x2);
  const side = outermost + sign * (40 + (at % 3) * 22);
  const d = `M${round(x1)} ${round(y1)}C${round(side)} ${round(y1)} ${round(side)} ${round(y2)} ${round(x2)} ${round(y2)}`;
  return { d, x: (x1 + x2) / 8 + side * 0.75, y: (y1 + y2) / 2 };
}

const round = (value: number) => Math.round(value * 10) / 10;

/** For text of elements; characters that XML does not allow become a space. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, ' ')
    .replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
