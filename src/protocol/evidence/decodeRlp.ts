/** A decoded item. Byte strings are views of the given bytes, never copies. */
export type RlpItem = Uint8Array | RlpItem[];

/** Bytes that are not a valid encoding. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** Headers, transactions, receipts and trie nodes nest at most 4 lists. */
const mostDepth = 8;
/** A receipt of 100,000 events with four topics has fewer. */
const mostItems = 1_000_000;
/** Shared: a hostile file may consist of single bytes. */
const single = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const empty = new Uint8Array();

/**
 * Decodes canonical RLP. The number of items bounds the memory, whatever lengths the bytes claim.
 *
 * @throws EncodingError for anything else, for more than 8 nested lists, and for more than 1,000,000 items.
 */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  let at = 0;
  let left = mostItems;
  const read = (end: number, depth: number): RlpItem => {
    const first = bytes[at];
    if (first === undefined || at >= end) throw new EncodingError('ends too early');
    if (left-- === 0) throw new EncodingError('has too many parts');
    at++;
    if (first < 0x80) return single[first] ?? empty;
    const isList = first >= 0xc0;
    const size = readSize(first - (isList ? 0xc0 : 0x80));
    const stop = at + size;
    if (stop > end) throw new EncodingError('ends too early');
    if (!isList) return readBytes(stop);
    if (depth === mostDepth) throw new EncodingError('is nested too deeply');
    const items: RlpItem[] = [];
    while (at < stop) items.push(read(stop, depth + 1));
    return items;
  };
  const readSize = (code: number): number => {
    if (code <= 55) return code;
    const width = code - 55;
    let size = 0;
    for (const digit of bytes.subarray(at, at + width)) size = size * 256 + digit;
    if (at + width > bytes.length || bytes[at] === 0 || size <= 55)
      throw new EncodingError('has a length that is not canonical');
    at += width;
    return size;
  };
  const readBytes = (stop: number): Uint8Array => {
    const found = bytes.subarray(at, stop);
    at = stop;
    const [byte] = found;
    if (byte === undefined) return empty;
    if (found.length > 1) return found;
    if (byte < 0x80) throw new EncodingError('has a byte that is not canonical');
    return single[byte] ?? found;
  };
  const item = read(bytes.length, 0);
  if (at !== bytes.length) throw new EncodingError('has bytes after its end');
  return item;
}
