import type { DecodedField } from './decodePayload.ts';

/**
 * The values of a payload by name, in submitted order. A field without a name uses its id; a field without a
 * value stays encoded.
 */
export function valuesByName(fields: readonly DecodedField[]): Record<string, string | boolean> {
  const values = new Map<string, string | boolean>();
  for (const { id, name, value, data } of fields) {
    const key = name ?? id;
    // The contract reads the first data field of an id.
    if (!values.has(key)) values.set(key, value ?? data);
  }
  return Object.fromEntries(values);
}
