/** The least call data of an ABI value, in hexadecimal digits. */
const wordDigits = 64;

/**
 * Whether an encoder can have made decoded values from this many hexadecimal digits: if parts of an encoding
 * share bytes, the decoded values are larger. Stops as soon as the answer is certain.
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
