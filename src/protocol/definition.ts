import { fieldTypeOf } from './fieldType.ts';
import type { JsonCursor } from './jsonCursor.ts';
import type { FieldType } from './onChain.ts';

/** What a variable, or a field with a definition of its own, declares: an authored type and validation rules. */
export type Definition = {
  readonly declaredType: string | undefined;
  readonly fType: FieldType;
  /** True unless the validation says false. */
  readonly required: boolean;
  readonly validation: JsonCursor;
  /** Where the document says so. */
  readonly place: JsonCursor;
};

/** A type that is not a text is unknown to the specification: the definition then declares a text. */
export function readDefinition(place: JsonCursor): Definition {
  const type = place.member('type');
  const declaredType = typeof type.value === 'string' ? type.value : undefined;
  const validation = place.at('validation');
  const required = validation.member('required').value !== false;
  return { declaredType, fType: fieldTypeOf(declaredType), required, validation, place };
}
