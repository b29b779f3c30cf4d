import { paint, type Terminal } from './terminal.ts';

const largestPage = 100;

/** The first items of a list, and whether there are more. */
export type Taken<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean };

/** Takes the first `count` items of a list; `open` begins the list, with pages of a size. */
export async function takeFirst<Item>(
  count: number,
  open: (pageSize: number) => AsyncIterable<Item>,
): Promise<Taken<Item>> {
  const items: Item[] = [];
  for await (const item of open(Math.min(count + 1, largestPage))) {
    if (items.length === count) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}

/** A line below a table that does not show everything. */
export function describeRest(terminal: Terminal, { items, hasMore }: Taken<unknown>): string {
  const text = `The first ${items.length}; there are more: give a higher --limit.`;
  return hasMore ? `\n${paint(terminal, 'dim', text)}` : '';
}
