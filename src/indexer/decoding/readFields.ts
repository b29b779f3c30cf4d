import type { Hex } from 'viem';
import { decodeDataFields } from '../../protocol/decodeDataFields.ts';
import { decodeValue } from '../../protocol/decodeValue.ts';
import { storableText } from './storableText.ts';

/** A field of a payload as it is stored: `data` is exact, `value` is for reading. */
export type StoredField = { id: Hex; fType: number; data: Hex; value: string | boolean | null };

/** Offset, id, type, offset of the data and their length: what a field takes of a payload beside its data, in hexadecimal digits. */
const fieldOverhead = 5 * 64;

/**
 * The fields of a payload, decoded without a document. Null for bytes that are no array of fields: anyone may send any. Null too where
 * fields share bytes of the payload, as no encoder makes them: a few bytes could stand for megabytes of fields.
 */
export function readFields(payload: Hex): StoredField[] | null {
  try {
    const fields = decodeDataFields(payload);
    const taken = fields.reduce((sum, { data }) => sum + fieldOverhead + data.length - 2, 0);
    if (taken > payload.length - 2) return null;
    return fields.map(({ id, fType, data }) => ({
      id,
      fType,
      data,
      value: storableValue(decodeValue(fType, data)),
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
