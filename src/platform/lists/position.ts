import { z } from 'zod';
import { findTextAfter, foldText } from '../database/foldedText.ts';
import { type CutText, cutText, cutTextShape, isCutOf, storableText } from './cutText.ts';
import { type ListName, parseListCursor, positionParts, writeListCursor } from './listCursor.ts';
import type { Sort } from './sort.ts';

/**
 * The last row of a page; the next page begins after it. Rows with the same key are ordered by their rank,
 * which is 0 if the list has none, and then by their ids.
 */
export type Position = { readonly key: string | number; readonly rank: number; readonly id: string };

/** Reads the present name of a row of the list's owner by its id; undefined if there is no such row. */
export type ReadName = (id: string) => Promise<string | undefined>;

type Key = string | number | CutText;

/** Cursors of an earlier version hold long texts whole. */
const maxTextKey = 2_000;
const keyShapes: Record<Sort['kind'], z.ZodType<Key>> = {
  instant: positionParts.instant,
  text: z.union([storableText.max(maxTextKey), cutTextShape]),
};
const maxRank = 2_147_483_647;
const rankShape = z.int().min(0).max(maxRank);

/** The cursor is short, however long the row's key is: it holds only the beginning of a long text. */
export function writePosition(list: ListName, { key, rank, id }: Position): string {
  const held = typeof key === 'number' ? key : cutText(key);
  return writeListCursor(list, [held, rank, id]);
}

/**
 * The position of a cursor. A long name is read again from its row. If the row has another name now, or is gone, the
 * position is before all names with the same beginning: no row is skipped, but those of this beginning come again.
 *
 * @returns undefined for the beginning of the list.
 * @throws MalformedError for a cursor that was not given for this list, which is in an order of such keys.
 */
export async function findPosition(
  { list, sort, cursor }: { list: ListName; sort: Sort; cursor: string },
  readName: ReadName | undefined,
): Promise<Position | undefined> {
  const shape = z.tuple([keyShapes[sort.kind], rankShape, positionParts.id]);
  const [key, rank, id] = parseListCursor<[Key, number, string]>(list, { cursor, shape });
  if (typeof key !== 'object') return { key, rank, id };
  const name = foldText((await readName?.(id)) ?? '');
  if (isCutOf(key, name)) return { key: name, rank, id };
  const [prefix] = key;
  const before = sort.direction === 'asc' ? prefix : findTextAfter(prefix);
  return before === undefined ? undefined : { key: before, rank: 0, id: '' };
}
