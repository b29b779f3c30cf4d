/** A number of any size as JSON carries it: decimal. */
export function writeDecimal(number: bigint | null): string | null {
  return number === null ? null : String(number);
}
