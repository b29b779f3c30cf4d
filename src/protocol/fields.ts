import { type Definition, readDefinition } from './definition.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { FieldType } from './onChain.ts';
import { findVariableReference } from './references.ts';
import { findVariable } from './variables.ts';

/** One field of an input, as its definition resolves. */
export type Field = Definition & {
  /** The variable's name where the definition is a reference, else the definition's own key. */
  readonly name: string;
  /** Whether the contract stores the submitted value under the field's name. */
  readonly persist: boolean;
  /** Whether the definition refers to a variable that the document declares; `name` is then that variable's. */
  readonly isVariable: boolean;
};

/**
 * The fields of an input in order: those of its `data`, or where it has none, of its `schema` if that is an object. A `schema`
 * that is text names a JSON Schema file and holds no fields.
 */
export function readFields(agreement: JsonCursor, input: JsonCursor): Field[] {
  const data = input.member('data');
  const schema = input.at('schema');
  const definitions = data.isAbsent && typeof schema.value !== 'string' ? schema : data;
  return definitions.keys().map((key) => readField({ agreement, key, definition: definitions.at(key) }));
}

type FieldPlace = { agreement: JsonCursor; key: string; definition: JsonCursor };

function readField({ agreement, key, definition }: FieldPlace): Field {
  if (typeof definition.value === 'string') return readTextField({ agreement, key, definition });
  if (definition.isAbsent) definition.refuse('must be text or an object');
  return { ...readDefinition(definition), name: key, persist: false, isVariable: false };
}

/** A text refers to a variable, known or not; any other text declares a field of type STRING under its own key. */
function readTextField({ agreement, key, definition }: FieldPlace): Field {
  const name = findVariableReference(String(definition.value));
  const variable = name === undefined ? undefined : findVariable(agreement, name);
  if (variable !== undefined)
    return { ...variable, persist: variable.declaredType === 'address', isVariable: true };
  return {
    name: name ?? key,
    declaredType: undefined,
    fType: FieldType.STRING,
    required: true,
    validation: definition.at('validation'),
    place: definition,
    persist: false,
    isVariable: false,
  };
}
