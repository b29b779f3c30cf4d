import { parseCursor, writeCursor } from './cursor.ts';
import type { SqlParameters } from './sqlParameters.ts';

/** What a list is ordered by: one column, and then the id. */
export type Sort = {
  readonly name: 'createdAt' | 'updatedAt' | 'displayName';
  readonly kind: 'instant' | 'text';
  readonly direction: 'asc' | 'desc';
};

/** Which part of a list is asked for. */
export type PageRequest = {
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

/** One page of a list, as a JSON array. */
export type ListPage = { readonly dataText: string; readonly nextCursor: string | null };

/** A row of a page: its JSON, and where it stands in the list. */
export type PageRow = { json: string; sort_key: string; row_id: string };

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', displayName: 'display_name' } as const;

/** The SQL of a page: what to select beside the JSON, what to compare, and in which order. */
export type PageSql = { readonly select: string; readonly after: string; readonly order: string };

/**
 * Pages begin after a position and not after a number of rows, so that on an index over column and id the last page costs what
 * the first did. One row more than asked for is read, to know whether another page follows.
 *
 * @throws MalformedError for a cursor of another list or order.
 */
export function buildPage(
  table: string,
  { sort, limit, cursor }: PageRequest,
  parameters: SqlParameters,
): PageSql {
  const column = `${table}.${columns[sort.name]}`;
  const select = sort.kind === 'instant' ? `(extract(epoch from ${column}) * 1000)::bigint::text` : column;
  const order = `order by ${column} ${sort.direction}, ${table}.id ${sort.direction} limit ${parameters.add(limit + 1)}`;
  if (cursor === undefined)
    return { select: `${select} as sort_key, ${table}.id as row_id`, after: 'true', order };
  const { key, id } = parseCursor(sort, cursor);
  const placeholder = parameters.add(key);
  const bound =
    sort.kind === 'instant'
      ? `to_timestamp(0) + ${placeholder} * interval '1 millisecond'`
      : `${placeholder}::text`;
  const after = `(${column}, ${table}.id) ${sort.direction === 'asc' ? '>' : '<'} (${bound}, ${parameters.add(id)})`;
  return { select: `${select} as sort_key, ${table}.id as row_id`, after, order };
}

/** The page that the rows make, which are in order and perhaps one too many. */
export function finishPage(rows: readonly PageRow[], { sort, limit }: PageRequest): ListPage {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const key = last && (sort.kind === 'instant' ? Number(last.sort_key) : last.sort_key);
  return {
    dataText: `[${page.map(({ json }) => json).join(',')}]`,
    nextCursor:
      rows.length > limit && last && key !== undefined ? writeCursor(sort, { key, id: last.row_id }) : null,
  };
}
