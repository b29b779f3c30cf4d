import { type Definition, readDefinition } from './definition.ts';
import { isJsonObject, type JsonCursor } from './jsonCursor.ts';
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

type FieldPlace = { readonly agreement: JsonCursor; readonly key: string; readonly definition: JsonCursor };

/**
 * A text that refers to a variable, known or not, is that variable's field; everything else keeps its own key. What is no object
 * (other text, a number, a boolean, null, a list) declares a required text.
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

/** What a definition declares that is no object and that no variable stands behind. */
function untyped(place: JsonCursor): Definition {
  const validation = place.at('validation');
  return { declaredType: undefined, fType: FieldType.STRING, required: true, validation, place };
}
