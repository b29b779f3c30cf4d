import type { Allowance } from '../../platform/turns/allowance.ts';

/** The most short items read at once; the largest item has a megabyte. */
const mostItems = 20;
const charactersPerRead = 1024 * 1024;

/**
 * Reads a sequence in order, a few items at a time: more at once after short ones. About a megabyte is held,
 * however long the sequence is.
 *
 * @param read returns the requested number of items from an index on.
 */
export async function* readBatched<Item>(options: {
  total: number;
  read(at: number, count: number): Promise<readonly Item[]>;
  lengthOf(item: Item): number;
  allowance: Allowance;
}): AsyncGenerator<Item> {
  const { total, read, lengthOf, allowance } = options;
  let count = 1;
  for (let at = 0; at < total; ) {
    const items = await read(at, Math.min(count, total - at));
    at += items.length;
    const characters = items.reduce((sum, item) => sum + lengthOf(item), 0);
    await allowance.spend(characters);
    yield* items;
    const fitting = Math.floor((items.length * charactersPerRead) / Math.max(1, characters));
    count = Math.max(1, Math.min(mostItems, count * 4, fitting));
  }
}
