import type { WireValues } from '../../protocol/index.ts';

/** A reference to a variable in a text: its value, or none while it is unknown. */
export type Reference = { readonly name: string; readonly value: string | undefined };
export type Piece = string | Reference;

/**
 * In characters, over all values as often as they are named: a value named thousands of times would fill
 * gigabytes. Beyond the limit, the values that need the most room stay names.
 */
export const maxValuesLength = 1024 * 1024;

/** The text of a template with its values; an unknown value appears as its name in brackets, like `[dueBack]`. */
export function fillTemplate(template: string, values: WireValues): string {
  return splitTemplate(template, values)
    .map((piece) => (typeof piece === 'string' ? piece : (piece.value ?? blankOf(piece))))
    .join('');
}

/** The placeholder for an unknown value. */
export function blankOf({ name }: Reference): string {
  return `[${name}]`;
}

/**
 * A template in pieces: texts, and between them the references `${variables.NAME}` and
 * `${variables.NAME.value}`. Other braces are text, and so are references inside values.
 */
export function splitTemplate(template: string, values: WireValues): Piece[] {
  // Every other part is a name, captured by the pattern.
  const parts = template.split(/\$\{variables\.(\w+)(?:\.value)?\}/);
  const isName = (at: number) => at % 2 === 1;
  const fitting = findFitting(
    parts.filter((_, at) => isName(at)),
    values,
  );
  return parts.map((part, at) => (isName(at) ? { name: part, value: fitting.get(part) } : part));
}

/** The known values of the names; if there is not enough room, without those that need the most. */
function findFitting(names: readonly string[], values: WireValues): Map<string, string> {
  const needs = new Map<string, { value: string; length: number }>();
  for (const name of names) {
    if (!Object.hasOwn(values, name)) continue;
    const value = String(values[name]);
    needs.set(name, { value, length: (needs.get(name)?.length ?? 0) + value.length });
  }
  let room = maxValuesLength;
  const fitting = [...needs]
    .toSorted(([, a], [, b]) => a.length - b.length)
    .filter(([, { length }]) => {
      room -= length;
      return room >= 0;
    });
  return new Map(fitting.map(([name, { value }]) => [name, value]));
}
