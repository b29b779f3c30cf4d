import type { StateGraph } from './readStates.ts';

/** A state's position: the middle of its box. */
export type PlacedState = {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
};

export type StateLayout = {
  readonly width: number;
  readonly height: number;
  readonly boxHeight: number;
  readonly states: readonly PlacedState[];
};

const characterWidth = 7.5;
const padding = 24;
const boxHeight = 36;
const columnGap = 70;
const rowGap = 72;
const margin = 60;
/** Space on both sides for ways around. */
const sideMargin = 130;
/** From the middle of one row to the middle of the next. */
export const rowHeight = boxHeight + rowGap;
const longestLabel = 40;

/**
 * Places states in rows by the number of inputs needed to reach them. Final states are below their
 * predecessors, unreachable ones last. Within a row they are near their predecessors. The same document gives
 * the same picture.
 */
export function layOutStates(graph: StateGraph): StateLayout {
  const rows = listRows(graph);
  const widthOf = (id: string) => shortenLabel(id).length * characterWidth + padding;
  const widths = rows.map((row) => row.reduce((sum, id) => sum + widthOf(id) + columnGap, -columnGap));
  const width = Math.max(...widths, 120) + 2 * sideMargin;
  const states = rows.flatMap((row, at) => {
    let x = (width - (widths[at] ?? 0)) / 2;
    return row.map((id) => {
      const own = widthOf(id);
      const placed = { id, x: x + own / 2, y: margin + at * rowHeight, width: own };
      x += own + columnGap;
      return placed;
    });
  });
  const height = 2 * margin + Math.max(0, rows.length - 1) * (boxHeight + rowGap) + boxHeight / 2;
  return { width, height, boxHeight, states };
}

/** A name, shortened to the available space. */
export function shortenLabel(name: string): string {
  return name.length <= longestLabel ? name : `${name.slice(0, longestLabel - 1).toWellFormed()}…`;
}

function listRows({ initial, states, transitions }: StateGraph): string[][] {
  const successors = (id: string) => transitions.filter(({ from }) => from === id).map(({ to }) => to);
  const isFinal = (id: string) => id !== initial && successors(id).every((next) => next === id);
  const rowOf = new Map<string, number>();
  let reached = initial === undefined ? [] : [initial];
  for (let at = 0; reached.length > 0; at++) {
    for (const id of reached) rowOf.set(id, at);
    // In the order of their predecessors, so that few lines cross.
    reached = [...new Set(reached.flatMap(successors))].filter((id) => !rowOf.has(id) && !isFinal(id));
  }
  const open = [...rowOf];
  for (const { from, to } of transitions) {
    const before = rowOf.get(from);
    // A final state is below all of its predecessors.
    if (before !== undefined && isFinal(to)) rowOf.set(to, Math.max(rowOf.get(to) ?? 0, before + 1));
  }
  const finals = [...rowOf].slice(open.length);
  const rows: string[][] = [];
  for (const [id, at] of [...open, ...finals]) {
    rows[at] ??= [];
    rows[at].push(id);
  }
  const rest = states.map(({ id }) => id).filter((id) => !rowOf.has(id));
  return rest.length === 0 ? rows : [...rows, rest];
}
