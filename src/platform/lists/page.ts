import { foldText } from '../database/foldedText.ts';
import { cutPage } from './cutPage.ts';
import type { IndexPosition } from './indexRange.ts';
import { toMilliseconds } from './instant.ts';
import type { ListName } from './listCursor.ts';
import { type Position, writePosition } from './position.ts';
import { type Sort, sortColumns, sortedSql } from './sort.ts';
import type { SqlParameters } from './sqlParameters.ts';

export type PageRequest = {
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

/** The part of this list; its cursors are valid for no other list. */
export type ListPart = PageRequest & { readonly list: ListName };

/** One page of a list as a JSON array, and the length of the list if the page holds all of it. */
export type ListPage = {
  readonly dataText: string;
  readonly nextCursor: string | null;
  readonly totalCount: number | undefined;
};

/** The part of a row from which the next page starts. */
export type PageRow = {
  id: string;
  created_at: number;
  updated_at: number;
  display_name?: string;
  rank?: number;
};

/** The SQL of a page: its order, its start in that order, and its size. */
export type PageSql = {
  readonly order: string;
  readonly position: IndexPosition | undefined;
  readonly limit: string;
};

/**
 * Pages start after a position, not after a number of rows, so that on an index over these columns the last
 * page costs as much as the first. One more row than requested is read, to know whether another page follows.
 * The limit is a literal in the statement, because without it the database plans for a tenth of all rows.
 *
 * @param options.position undefined for the first page.
 * @param options.rank SQL of a whole number that orders rows of the same value, before their ids do.
 */
export function buildPage(
  table: string,
  { sort, limit: count }: Pick<ListPart, 'sort' | 'limit'>,
  {
    position,
    parameters,
    rank,
  }: { position: Position | undefined; parameters: SqlParameters; rank?: string | undefined },
): PageSql {
  const ranks = rank === undefined ? [] : [rank];
  const columns = [sortedSql(table, sortColumns[sort.name]), ...ranks, `${table}.id`];
  const order = columns.map((column) => `${column} ${sort.direction}`).join(', ');
  const limit = `limit ${Math.trunc(count) + 1}`;
  if (!position) return { order, position: undefined, limit };
  const key = parameters.add(position.key);
  const values = [
    sort.kind === 'instant' ? `to_timestamp(0) + ${key} * interval '1 millisecond'` : `${key}::text`,
    ...ranks.map(() => `${parameters.add(position.rank)}::int`),
    parameters.add(position.id),
  ];
  return { order, position: { columns, values }, limit };
}

/** The page of ordered rows, which may have one row too many. */
export function finishPage<Row extends PageRow>(
  rows: readonly Row[],
  { list, sort, ...request }: ListPart,
  toResource: (row: Row) => unknown,
): ListPage {
  const { page, last, totalCount } = cutPage(rows, request);
  return {
    dataText: JSON.stringify(page.map(toResource)),
    nextCursor: last ? writePosition(list, positionOf(last, sort)) : null,
    totalCount,
  };
}

function positionOf(row: PageRow, { name }: Sort): Position {
  const { id, rank = 0 } = row;
  if (name === 'displayName') return { key: foldText(row.display_name ?? ''), rank, id };
  return { key: toMilliseconds(name === 'createdAt' ? row.created_at : row.updated_at), rank, id };
}
