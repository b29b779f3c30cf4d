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

export function readDefinition(place: JsonCursor): Definition {
  const type = place.member('type');
  const declaredType = type.isAbsent ? undefined : type.text();
  const validation = place.at('validation');
  const required = validation.member('required').value !== false;
  return { declaredType, fType: fieldTypeOf(declaredType), required, validation, place };
}
