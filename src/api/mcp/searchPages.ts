type Page<Item> = { readonly found: Item[]; readonly nextCursor: string | null };
type Asked = { readonly limit: number; readonly cursor: string | undefined };

const pageSize = 100;
/** The most pages that one search reads; its cursor continues from there. */
const mostPages = 5;

type Searched<Item> = Page<Item> & {
  readonly looked: number;
  /** Whether the list has no more items now. */
  readonly isEnd: boolean;
};

/**
 * Searches a list from a cursor on, for as many matching items as are wanted or as a few pages have. The cursor
 * continues right after the last item read: nothing is skipped.
 */
export async function searchPages<Item>(
  readPage: (asked: Asked) => Promise<Page<Item>>,
  { limit, cursor, matches }: Asked & { readonly matches: (item: Item) => boolean },
): Promise<Searched<Item>> {
  const found: Item[] = [];
  let looked = 0;
  let from = cursor;
  for (let page = 0; page < mostPages; page += 1) {
    const { found: items, nextCursor } = await readPage({ limit: pageSize, cursor: from });
    for (const [index, item] of items.entries()) {
      if (!matches(item)) continue;
      found.push(item);
      if (found.length < limit) continue;
      looked += index + 1;
      const isLast = index === items.length - 1;
      // Only the list itself can name a place in the middle of a page.
      const end = isLast ? nextCursor : (await readPage({ limit: index + 1, cursor: from })).nextCursor;
      return { found, nextCursor: end, looked, isEnd: end === null };
    }
    looked += items.length;
    from = nextCursor ?? undefined;
    if (nextCursor === null || items.length === 0) return { found, nextCursor, looked, isEnd: true };
  }
  return { found, nextCursor: from ?? null, looked, isEnd: false };
}
