import type { Hex } from 'viem';
import { decodeInputPayload } from '../protocol/index.ts';
import { storableText } from './storableText.ts';

/** A field of a payload as it is stored: `data` is exact, `value` is for reading. */
export type StoredField = { id: Hex; fType: number; data: Hex; value: string | boolean | null };

/** The fields of a payload, decoded without a document. Null for bytes that are no array of fields: anyone may send any. */
export function readFields(payload: Hex): StoredField[] | null {
  try {
    return decodeInputPayload(null, payload).map(({ id, fType, data, value }) => ({
      id,
      fType,
      data,
      value: storableValue(value),
    }));
  } catch {
    return null;
  }
}

function storableValue(value: unknown): string | boolean | null {
  switch (typeof value) {
    case 'string':
      return storableText(value);
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value;
    default:
      return null;
  }
}
