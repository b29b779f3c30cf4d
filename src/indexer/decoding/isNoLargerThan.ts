/** What an ABI value takes of call data at the least, in hexadecimal digits. */
const wordDigits = 64;

/**
 * Whether decoded values could be what an encoder made of so many hexadecimal digits: where parts of an encoding share bytes, what is
 * decoded is larger. Stops as soon as that is certain.
 */
export function isNoLargerThan(values: unknown, digits: number): boolean {
  let left = digits;
  const take = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) {
      left -= Math.max(wordDigits, typeof value === 'string' ? value.length - 2 : 0);
      return left >= 0;
    }
    if (Array.isArray(value)) left -= wordDigits;
    return left >= 0 && Object.values(value).every(take);
  };
  return take(values);
}
