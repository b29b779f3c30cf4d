import type { WireValues } from '../../protocol/index.ts';

/** A reference to a variable in a text: its value, or none while it is not known. */
export type Reference = { readonly name: string; readonly value: string | undefined };
export type Piece = string | Reference;

/**
 * In characters. One value can be named thousands of times, so that a text may fill up to gigabytes; past this size the values
 * that take the most room stay names.
 */
export const maxFilledLength = 2 * 1024 * 1024;

/** The text of a template with its values; a value that is not known stands as its name in brackets, like `[dueBack]`. */
export function fillTemplate(template: string, values: WireValues): string {
  return splitTemplate(template, values)
    .map((piece) => (typeof piece === 'string' ? piece : (piece.value ?? blankOf(piece))))
    .join('');
}

/** What stands in the place of a value that is not known. */
export function blankOf({ name }: Reference): string {
  return `[${name}]`;
}

/**
 * A template in pieces: texts, and between them the references `${variables.NAME}` and `${variables.NAME.value}`. Anything else
 * in braces is text, and so is whatever a value looks like.
 */
export function splitTemplate(template: string, values: WireValues): Piece[] {
  const matches = [...template.matchAll(/\$\{variables\.(\w+)(?:\.value)?\}/g)];
  const counts = new Map<string, number>();
  for (const [, name = ''] of matches) counts.set(name, (counts.get(name) ?? 0) + 1);
  const fitting = findFitting(counts, { values, room: maxFilledLength - template.length });

  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: reference, 1: name = '', index } of matches) {
    pieces.push(template.slice(end, index), { name, value: fitting.get(name) });
    end = index + reference.length;
  }
  return [...pieces, template.slice(end)];
}

/** The known values of the names, without those that need the most room where there is not enough for all. */
function findFitting(
  counts: ReadonlyMap<string, number>,
  { values, room }: { values: WireValues; room: number },
): Map<string, string> {
  const known = [...counts].flatMap(([name, count]) => {
    const value = Object.hasOwn(values, name) ? String(values[name]) : undefined;
    return value === undefined ? [] : [{ name, value, length: value.length * count }];
  });
  let free = room;
  const fitting = known
    .toSorted((a, b) => a.length - b.length)
    .filter(({ length }) => {
      free -= length;
      return free >= 0 || length === 0;
    });
  return new Map(fitting.map(({ name, value }) => [name, value]));
}
