import { parseCursor, writeCursor } from './cursor.ts';
import { toMilliseconds } from './jsonText.ts';
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

/** What a page needs of a row to go on after it. */
export type PageRow = { id: string; created_at: number; updated_at: number; display_name?: string };

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', displayName: 'display_name' } as const;

/** The SQL of a page: what to compare, and in which order and number. */
export type PageSql = { readonly after: string; readonly order: string };

/**
 * Pages begin after a position and not after a number of rows, so that on an index over column and id the last page costs what
 * the first did. One row more than asked for is read, to know whether another page follows. The number stands in the statement, as
 * the database plans without it for a tenth of all rows.
 *
 * @throws MalformedError for a cursor of another list or order.
 */
export function buildPage(
  table: string,
  { sort, limit, cursor }: PageRequest,
  parameters: SqlParameters,
): PageSql {
  const { direction } = sort;
  const [column, id] = [`${table}.${columns[sort.name]}`, `${table}.id`];
  const order = `order by ${column} ${direction}, ${id} ${direction} limit ${Math.trunc(limit) + 1}`;
  if (cursor === undefined) return { after: 'true', order };
  const position = parseCursor(sort, cursor);
  const key = parameters.add(position.key);
  const bound =
    sort.kind === 'instant' ? `to_timestamp(0) + ${key} * interval '1 millisecond'` : `${key}::text`;
  const comparison = direction === 'asc' ? '>' : '<';
  return { after: `(${column}, ${id}) ${comparison} (${bound}, ${parameters.add(position.id)})`, order };
}

/** The page that the rows make, which are in order and perhaps one too many. */
export function finishPage<Row extends PageRow>(
  rows: readonly Row[],
  { sort, limit }: PageRequest,
  toResource: (row: Row) => unknown,
): ListPage {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    dataText: JSON.stringify(page.map(toResource)),
    nextCursor: hasMore ? writeCursor(sort, { key: keyOf(last, sort), id: last.id }) : null,
  };
}

function keyOf(row: PageRow, { name }: Sort): string | number {
  if (name === 'displayName') return row.display_name ?? '';
  return toMilliseconds(name === 'createdAt' ? row.created_at : row.updated_at);
}
