/** A number of any size in decimal, for JSON. */
export function writeDecimal(number: bigint | null): string | null {
  return number === null ? null : String(number);
}
