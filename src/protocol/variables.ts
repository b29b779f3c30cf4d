import { type Definition, readDefinition } from './definition.ts';
import type { JsonCursor } from './jsonCursor.ts';

export type Variable = Definition & {
  readonly name: string;
  /** Whether the variable holds a participant's wallet. */
  readonly isParticipant: boolean;
};

/** Existing documents spell the subtype either way. */
const spellings = ['subtype', 'subType'];

/** Results by document root, cached because thousands of places may refer to one variable. */
const found = new WeakMap<JsonCursor, Map<string, Variable | undefined>>();

export function findVariable(agreement: JsonCursor, name: string): Variable | undefined {
  const known = found.get(agreement) ?? new Map<string, Variable | undefined>();
  if (known.size === 0) found.set(agreement, known);
  if (known.has(name)) return known.get(name);
  const variable = readVariable(agreement.at('variables').member(name), name);
  known.set(name, variable);
  return variable;
}

function readVariable(definition: JsonCursor, name: string): Variable | undefined {
  if (definition.isAbsent) return undefined;
  return {
    ...readDefinition(definition),
    name,
    isParticipant: spellings.some((spelling) => definition.at(spelling).value === 'participant'),
  };
}

/** All declared variables, in the document's order. */
export function readVariables(agreement: JsonCursor): Variable[] {
  const names = agreement.at('variables').keys();
  return names.map((name) => findVariable(agreement, name)).filter((variable) => variable !== undefined);
}
