/** What a statement takes in place of `$1`; null where it is undefined. */
export type Parameter =
  | string
  | number
  | boolean
  | Date
  | Uint8Array
  | readonly (string | number)[]
  | null
  | undefined;

/** A parameter as the database reads it: as a text, or as the bytes that it holds. */
export function writeParameter(value: Parameter): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return `{${value.map((item) => `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
