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
};

export function readDefinition(cursor: JsonCursor): Definition {
  const type = cursor.member('type');
  const declaredType = type.isAbsent ? undefined : type.text();
  const validation = cursor.at('validation');
  const required = validation.member('required').value !== false;
  return { declaredType, fType: fieldTypeOf(declaredType), required, validation };
}
