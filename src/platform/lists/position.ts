import { z } from 'zod';
import { type ListName, parseListCursor, positionParts, writeListCursor } from './listCursor.ts';
import type { Sort } from './sort.ts';

/**
 * The last row of a page; the next page begins after it. Rows with the same key are ordered by their rank,
 * which is 0 if the list has none, and then by their ids.
 */
export type Position = { readonly key: string | number; readonly rank: number; readonly id: string };

const maxTextKey = 2_000;
const keyShapes = {
  instant: positionParts.instant,
  // Only values that can be stored: the database would refuse others as parameters too.
  text: z
    .string()
    .max(maxTextKey)
    .refine((text) => text.isWellFormed() && !text.includes('\0')),
};
const maxRank = 2_147_483_647;
const rankShape = z.int().min(0).max(maxRank);

export function writePosition(list: ListName, { key, rank, id }: Position): string {
  return writeListCursor(list, [key, rank, id]);
}

/** @throws MalformedError for a cursor that was not given for this list, which is in an order of such keys. */
export function parsePosition(list: ListName, { kind }: Sort, cursor: string): Position {
  const shape = z.tuple([keyShapes[kind], rankShape, positionParts.id]);
  const [key, rank, id] = parseListCursor<[string | number, number, string]>(list, { cursor, shape });
  return { key, rank, id };
}
