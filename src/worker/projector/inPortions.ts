/**
 * Divides items into portions for one statement each, of at most this size together, but at least one item. So a
 * statement's parameter stays small, however many items there are.
 */
export function* inPortions<Item>(
  items: readonly Item[],
  { most, sizeOf }: { most: number; sizeOf: (item: Item) => number },
): Generator<readonly Item[]> {
  let begin = 0;
  let size = 0;
  for (const [at, item] of items.entries()) {
    const own = sizeOf(item);
    if (at > begin && size + own > most) {
      yield items.slice(begin, at);
      begin = at;
      size = 0;
    }
    size += own;
  }
  if (begin < items.length) yield items.slice(begin);
}
