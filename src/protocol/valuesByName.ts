import type { DecodedField } from './decodePayload.ts';

/** The values of a payload by name, as submitted; what has no name goes by its id, what has no value stands as it was encoded. */
export function valuesByName(fields: readonly DecodedField[]): Record<string, string | boolean> {
  // The contract reads the first data field of an id.
  return Object.fromEntries(
    fields.toReversed().map(({ id, name, value, data }) => [name ?? id, value ?? data] as const),
  );
}
