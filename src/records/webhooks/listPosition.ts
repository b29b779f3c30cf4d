import { type Column, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type CutPage, cutPage } from '../../platform/lists/cutPage.ts';
import {
  type ListName,
  parseListCursor,
  positionParts,
  writeListCursor,
} from '../../platform/lists/listCursor.ts';

/** The last row of a page of a list in descending order; the next page begins after it. */
export type ListPosition = { readonly createdAt: Date; readonly id: string };

const positionShape = z.tuple([positionParts.instant, positionParts.id]);

/**
 * The position of a cursor, as the SQL of a time and an id; undefined without a cursor.
 *
 * @throws MalformedError for a cursor that was not given for this list.
 */
export function parsePosition(list: ListName, cursor: string | undefined): SQL | undefined {
  if (cursor === undefined) return undefined;
  const [milliseconds, id] = parseListCursor(list, { cursor, shape: positionShape });
  return sql`to_timestamp(0) + ${milliseconds}::float8 * interval '1 millisecond', ${id}::text`;
}

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
  const start = parsePosition(list, cursor);
  return start && sql`(${columns.createdAt}, ${columns.id}) < (${start})`;
}

/**
 * A page of a list, the cursor of the next page if there is one, and the length of the list if the page holds
 * all of it.
 */
export type Page<Row> = Pick<CutPage<Row>, 'page' | 'totalCount'> & { readonly nextCursor: string | null };

/** Builds a page from `limit + 1` rows. */
export function finishPage<Row extends ListPosition>(
  list: ListName,
  rows: readonly Row[],
  request: { readonly limit: number; readonly cursor?: string | undefined },
): Page<Row> {
  const { page, last, totalCount } = cutPage(rows, request);
  const nextCursor = last ? writeListCursor(list, [last.createdAt.getTime(), last.id]) : null;
  return { page, nextCursor, totalCount };
}
