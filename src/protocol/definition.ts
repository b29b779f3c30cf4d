import { fieldTypeOf } from './fieldType.ts';
import type { JsonCursor } from './jsonCursor.ts';
import type { FieldType } from './onChain.ts';

/** A declaration by a variable, or by a field with its own definition: an authored type and validation rules. */
export type Definition = {
  readonly declaredType: string | undefined;
  readonly fType: FieldType;
  /** True unless the validation says false. */
  readonly required: boolean;
  readonly validation: JsonCursor;
  readonly place: JsonCursor;
};

/** The specification does not know types that are not text; such a definition declares a text. */
export function readDefinition(place: JsonCursor): Definition {
  const type = place.member('type');
  const declaredType = typeof type.value === 'string' ? type.value : undefined;
  const validation = place.at('validation');
  const required = validation.member('required').value !== false;
  return { declaredType, fType: fieldTypeOf(declaredType), required, validation, place };
}
