import type { Hex } from 'viem';
import { decodeDataFields } from '../../protocol/decodeDataFields.ts';
import { decodeValue } from '../../protocol/decodeValue.ts';
import { storableText } from './storableText.ts';

/** A stored field of a payload: `data` is exact, `value` is for reading. */
export type StoredField = { id: Hex; fType: number; data: Hex; value: string | boolean | null };

/**
 * Offset, id, type, data offset and data length: the size of a field in a payload without its data, in
 * hexadecimal digits.
 */
const fieldOverhead = 5 * 64;

/** Hexadecimal digits. A longer payload is stored alone: its fields would take several times its space again. */
const longestDecoded = 65_536;

/**
 * The fields of a payload, decoded without a document. Null for bytes that are no array of fields, because
 * anyone may send anything. Null too for a long payload, and if fields share bytes of the payload, which no encoder
 * does: a few bytes could decode to megabytes of fields.
 */
export function readFields(payload: Hex): StoredField[] | null {
  if (payload.length - 2 > longestDecoded) return null;
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
