import { and, type Column, desc, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type CutPage, cutPage } from './cutPage.ts';
import { type ListName, parseListCursor, positionParts, writeListCursor } from './listCursor.ts';

/** The last row of a page of a list in descending order; the next page begins after it. */
export type ListPosition = { readonly createdAt: Date; readonly id: string };

/**
 * A page of a list, the cursor of the next page if there is one, and the length of the list if the page holds
 * all of it.
 */
export type Page<Row> = Pick<CutPage<Row>, 'page' | 'totalCount'> & { readonly nextCursor: string | null };

type PageRequest = { readonly limit: number; readonly cursor?: string | undefined };

type Query<Row> = {
  where(condition: SQL | undefined): {
    orderBy(...columns: SQL[]): { limit(count: number): PromiseLike<Row[]> };
  };
};

/**
 * Reads a page of a query's rows, newest first.
 *
 * @param options.of the columns of the rows' positions.
 * @throws MalformedError for a cursor that was not given for this list.
 */
export async function selectNewest<Row extends ListPosition>(
  query: Query<Row>,
  {
    list,
    of: { createdAt, id },
    where,
    limit,
    cursor,
  }: PageRequest & {
    readonly list: ListName;
    readonly of: { readonly createdAt: Column; readonly id: Column };
    readonly where: SQL | undefined;
  },
): Promise<Page<Row>> {
  const start = parseStart(list, cursor);
  const rows = await query
    .where(and(where, start && sql`(${createdAt}, ${id}) < (${start})`))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
  return finishNewest(list, rows, { limit, cursor });
}

const positionShape = z.tuple([positionParts.instant, positionParts.id]);

/**
 * The position of a cursor, as the SQL of a time and an id; undefined without a cursor.
 *
 * @throws MalformedError for a cursor that was not given for this list.
 */
export function parseStart(list: ListName, cursor: string | undefined): SQL | undefined {
  if (cursor === undefined) return undefined;
  const [milliseconds, id] = parseListCursor(list, { cursor, shape: positionShape });
  return writePosition({ createdAt: new Date(milliseconds), id });
}

/** The position as the SQL of a time and an id. */
export function writePosition({ createdAt, id }: ListPosition): SQL {
  return sql`to_timestamp(0) + ${createdAt.getTime()}::float8 * interval '1 millisecond', ${id}::text`;
}

/**
 * A page from rows of which one more than requested was read.
 *
 * @param end where the read part of the list ends; undefined if all of the rest was read.
 */
export function finishNewest<Row extends ListPosition>(
  list: ListName,
  rows: readonly Row[],
  { end, ...request }: PageRequest & { readonly end?: ListPosition | undefined },
): Page<Row> {
  const { page, last, totalCount } = cutPage(rows, request);
  const position = last ?? end;
  const nextCursor = position ? writeListCursor(list, [position.createdAt.getTime(), position.id]) : null;
  return { page, nextCursor, totalCount: end === undefined ? totalCount : undefined };
}
