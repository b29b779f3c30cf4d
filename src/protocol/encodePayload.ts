import type { Hex } from 'viem';
import { encodeDataFields } from './encodeArrays.ts';
import { encodeValue } from './encodeValue.ts';
import { type Issue, ValuesError } from './errors.ts';
import { findInput } from './inputDefinitions.ts';
import { isJsonObject, JsonCursor, ownValue } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { DataField } from './onChain.ts';
import { parseValue } from './values.ts';

/**
 * The payload of an input: the ABI encoding of one data field per submitted value, in the order of the
 * submitted object's members. A member is named like its field, or like the variable if the field is a
 * reference. `checkInputValues` checks the document's rules.
 *
 * @throws ValuesError for an input or member that the document does not have, or a value that does not fit its type.
 */
export function encodeInputPayload(agreement: unknown, inputId: string, values: unknown): Hex {
  const input = findInput(new JsonCursor(agreement), inputId);
  if (input === undefined)
    throw new ValuesError([{ path: 'inputId', message: 'is not an input of the agreement' }]);
  if (!isJsonObject(values)) throw new ValuesError([{ path: 'values', message: 'must be an object' }]);
  const fields = new Map(input.fields.toReversed().map((field) => [field.name, field]));
  const issues: Issue[] = [];
  const dataFields: DataField[] = [];
  for (const name of Object.keys(values)) {
    const field = fields.get(name);
    const parsed = field && parseValue(ownValue(values, name), field);
    if (field && parsed?.ok) {
      dataFields.push({
        id: nameHash(name),
        fType: field.fType,
        data: encodeValue(field.fType, parsed.value),
      });
    } else {
      issues.push({
        path: `values.${name}`,
        message: parsed?.ok === false ? parsed.message : 'is not a field of the input',
      });
    }
  }
  if (issues.length > 0) throw new ValuesError(issues);
  return encodeDataFields(dataFields);
}
