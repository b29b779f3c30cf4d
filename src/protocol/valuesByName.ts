import type { DecodedField } from './decodePayload.ts';

/**
 * The values of a payload by name, as submitted and in that order; what has no name goes by its id, what has no value stands as
 * it was encoded.
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
