/** The UTF-8 bytes of what a write stores: texts as they are, other values as JSON. */
export function measureStored(parts: readonly unknown[]): number {
  return parts.reduce<number>((sum, part) => {
    const text = typeof part === 'string' ? part : JSON.stringify(part ?? null);
    return sum + Buffer.byteLength(text);
  }, 0);
}
