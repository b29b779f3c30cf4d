import { type Column, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type ListName, parseListCursor, writeListCursor } from '../lists/listCursor.ts';

/** The last row of a page of a list that begins with the newest: the next page begins after it. */
export type ListPosition = { readonly createdAt: Date; readonly id: string };

const latestMs = 8_640_000_000_000_000;
const positionShape = z.tuple([z.int().min(0).max(latestMs), z.string().regex(/^[a-z]+_[0-9a-z]{1,64}$/)]);

/**
 * The rows after a position, as a condition; without a cursor all rows.
 *
 * @throws MalformedError for a cursor that was not given for this list.
 */
export function buildAfter(
  list: ListName,
  cursor: string | undefined,
  columns: { createdAt: Column; id: Column },
): SQL | undefined {
  if (cursor === undefined) return undefined;
  const [milliseconds, id] = parseListCursor(list, { cursor, shape: positionShape });
  const instant = sql`to_timestamp(0) + ${milliseconds}::float8 * interval '1 millisecond'`;
  return sql`(${columns.createdAt}, ${columns.id}) < (${instant}, ${id})`;
}

/** A page of a list, the cursor of the next one if there is one, and how long the list is where the page is all of it. */
export type CutPage<Row> = {
  readonly page: Row[];
  readonly nextCursor: string | null;
  readonly totalCount: number | undefined;
};

/** A page out of rows of which one more than wanted was read. */
export function cutPage<Row extends ListPosition>(
  list: ListName,
  rows: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): CutPage<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    page,
    nextCursor: hasMore ? writeListCursor(list, [last.createdAt.getTime(), last.id]) : null,
    totalCount: cursor === undefined && !hasMore ? page.length : undefined,
  };
}
