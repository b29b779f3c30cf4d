import { type Definition, readDefinition } from './definition.ts';
import { isJsonObject, type JsonCursor } from './jsonCursor.ts';
import { FieldType } from './onChain.ts';
import { findVariableReference } from './references.ts';
import { findVariable } from './variables.ts';

/** One field of an input, as its definition resolves. */
export type Field = Definition & {
  /** The variable's name if the definition is a reference, otherwise the definition's own key. */
  readonly name: string;
  /** Whether the contract stores the submitted value under the field's name. */
  readonly persist: boolean;
  /** Whether the definition refers to a declared variable; `name` is then the variable's name. */
  readonly isVariable: boolean;
};

/**
 * The fields of an input in order: those of its `data`, or without `data`, of its `schema` if that is an
 * object. A `schema` that is text names a JSON Schema file and has no fields.
 */
export function readFields(agreement: JsonCursor, input: JsonCursor): Field[] {
  const data = input.member('data');
  const schema = input.at('schema');
  const definitions = data.isAbsent && typeof schema.value !== 'string' ? schema : data;
  return definitions.keys().map((key) => readField({ agreement, key, definition: definitions.at(key) }));
}

type FieldPlace = { readonly agreement: JsonCursor; readonly key: string; readonly definition: JsonCursor };

/**
 * A text that refers to a variable, known or not, is that variable's field. Everything else keeps its own
 * key. A definition that is not an object (other text, a number, a boolean, null, a list) declares a required
 * text.
 */
function readField({ agreement, key, definition }: FieldPlace): Field {
  const reference =
    typeof definition.value === 'string' ? findVariableReference(definition.value) : undefined;
  const variable = reference === undefined ? undefined : findVariable(agreement, reference);
  if (variable !== undefined) {
    return { ...variable, persist: variable.declaredType === 'address', isVariable: true };
  }
  const declared = isJsonObject(definition.value) ? readDefinition(definition) : untyped(definition);
  return { ...declared, name: reference ?? key, persist: false, isVariable: false };
}

/** The declaration of a definition that is not an object and refers to no variable. */
function untyped(place: JsonCursor): Definition {
  const validation = place.at('validation');
  return { declaredType: undefined, fType: FieldType.STRING, required: true, validation, place };
}
