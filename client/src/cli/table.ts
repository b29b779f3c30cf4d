import { paint, plain, type Terminal } from './terminal.ts';
import { characters, widthOf } from './widthOf.ts';

type Screen = Pick<Terminal, 'columns' | 'colours'>;

const gap = '  ';
const narrowest = 6;

/**
 * Rows below a header. In a narrow terminal the widest columns shrink, then the last ones disappear; never
 * the first, which identifies a row. Without a terminal nothing is cut.
 */
export function drawTable(
  terminal: Screen,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = rows.map((row) => row.map(plain));
  // Not as arguments of one call: a hundred thousand rows are more than its stack holds.
  const widths = head.map((name, at) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), name.length),
  );
  shrink(widths, terminal.columns ?? Number.POSITIVE_INFINITY);
  const line = (row: readonly string[]) =>
    row
      .slice(0, widths.length)
      .map((cell, at) => pad(cut(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join(gap)
      .trimEnd();
  return [paint(terminal, 'bold', line(head)), ...cells.map(line)].join('\n');
}

/** Names and values, one pair a line. */
export function drawFacts(
  terminal: Pick<Terminal, 'colours'>,
  facts: readonly (readonly [string, string | undefined])[],
): string {
  const there = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [[plain(name), plain(value)] as const],
  );
  const width = Math.max(...there.map(([name]) => widthOf(name)));
  return there.map(([name, value]) => `${paint(terminal, 'dim', pad(name, width))}${gap}${value}`).join('\n');
}

function shrink(widths: number[], columns: number): void {
  const [first = 0] = widths;
  const takes = () => widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
  while (takes() > columns && widths.length > 1) {
    const others = widths.slice(1);
    const widest = Math.max(...others);
    if (widest > narrowest) widths[widths.lastIndexOf(widest)] = widest - 1;
    else widths.pop();
  }
  widths[0] = Math.min(first, columns);
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let left = Math.max(width - 1, 1);
  for (const { segment } of characters.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
