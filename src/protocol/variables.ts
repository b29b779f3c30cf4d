import { type Definition, readDefinition } from './definition.ts';
import type { JsonCursor } from './jsonCursor.ts';

export type Variable = Definition & {
  readonly name: string;
  /** Whether the variable stands for a participant's wallet. */
  readonly isParticipant: boolean;
};

/** The variable that the document declares under that name, if it does. */
export function findVariable(agreement: JsonCursor, name: string): Variable | undefined {
  const definition = agreement.at('variables').member(name);
  if (definition.isAbsent) return undefined;
  return {
    ...readDefinition(definition),
    name,
    isParticipant: definition.at('subtype').value === 'participant',
  };
}

/** All declared variables, in the document's order. */
export function readVariables(agreement: JsonCursor): Variable[] {
  const names = agreement.at('variables').keys();
  return names.map((name) => findVariable(agreement, name)).filter((variable) => variable !== undefined);
}
