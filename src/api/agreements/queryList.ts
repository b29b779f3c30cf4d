import type { Parameter } from '../database/parameter.ts';
import type { Range } from './filters.ts';
import { buildRange } from './filters.ts';
import { buildPage, type ListPart, type PageSql } from './page.ts';
import { sortColumns } from './sort.ts';
import type { SqlParameters } from './sqlParameters.ts';

/** Where the rows of a list stand, and what is read of them. */
export type ListTable = {
  readonly name: string;
  /** How conditions and columns call it. */
  readonly alias: string;
  /** Of rows of the same value, their order: SQL of a whole number. */
  readonly rank?: string;
  /** What order and ranges are made of, beside id, created_at and updated_at. */
  readonly keyColumn: string;
  /** What is read, from the table and what is joined to it. */
  readonly columns: string;
  readonly joins?: string;
};

/**
 * What of a list is wanted. Each branch is a set of rows that an index over what its conditions compare has in the order of every
 * sort; together they are the list, and no row is in two.
 */
export type Selection = ListPart & {
  readonly branches: readonly [string, ...string[]];
  readonly createdAt: Range;
  readonly updatedAt: Range;
};

type RowPart = { id: string | null; gathered?: number | null };

/**
 * So many rows in a range of time are rather sorted than looked for among all others in the order of the list. With more of them
 * a page is soon found in that order.
 */
const mostGathered = 1_000;

/**
 * Reads a page of a list. It never reads many more rows than the page has, with one exception: where a range of one time is
 * combined with the order of something else, which no index can serve. Then it reads the range where that holds few rows, and
 * else goes along the order.
 *
 * @param run runs a query of the page's rows with these parameters; where there are none it may return a row of nulls.
 * @throws MalformedError for a cursor of another list.
 */
export async function queryList<Row extends RowPart>(
  table: ListTable,
  { selection, parameters }: { selection: Selection; parameters: SqlParameters },
  run: (query: string, parameters: readonly Parameter[]) => Promise<Row[]>,
): Promise<(Row & { id: string })[]> {
  const { sort, createdAt, updatedAt } = selection;
  const { alias, rank } = table;
  const page = buildPage(alias, selection, { parameters, rank });
  const ranges = [
    { column: `${alias}.created_at`, bounds: buildRange(`${alias}.created_at`, createdAt, parameters) },
    { column: `${alias}.updated_at`, bounds: buildRange(`${alias}.updated_at`, updatedAt, parameters) },
  ];
  const parts = { table, selection, page, ranges, sortColumn: `${alias}.${sortColumns[sort.name]}` };
  for (const range of ranges) {
    if (range.bounds.length === 0 || range.column === parts.sortColumn) continue;
    const rows = await run(buildGathering(parts, range), parameters.values);
    if ((rows[0]?.gathered ?? 0) <= mostGathered) return rows.filter(isPresent);
  }
  return (await run(buildWalk(parts), parameters.values)).filter(isPresent);
}

function isPresent<Row extends RowPart>(row: Row): row is Row & { id: string } {
  return row.id !== null;
}

type ColumnRange = { readonly column: string; readonly bounds: readonly string[] };

type Parts = {
  readonly table: ListTable;
  readonly selection: Selection;
  readonly page: PageSql;
  readonly ranges: readonly ColumnRange[];
  readonly sortColumn: string;
};

/** Goes along the order of the list until the page is full; where there are several branches, along all of them. */
function buildWalk({ table, selection, page, ranges, sortColumn }: Parts): string {
  const { name, alias, columns, joins = '' } = table;
  const { after, order, limit } = page;
  const conditions = ranges.flatMap(({ column, bounds }) =>
    // In this form it cannot lead the database to another index, from which it would have to sort.
    column === sortColumn ? bounds : bounds.map((bound) => `(${bound}) is true`),
  );
  const rowsOf = (branch: string, what: string) =>
    `select ${what} from ${name} ${alias} ${what === columns ? joins : ''}
    where ${[branch, after, ...conditions].join(' and ')} order by ${order} ${limit}`;
  const [first, ...others] = selection.branches;
  if (others.length === 0) return rowsOf(first, columns);
  const union = selection.branches.map((branch) => `(${rowsOf(branch, keysOf(table))})`).join(' union all ');
  return readPage({ table, page, rows: `(${union})` });
}

/** Reads what lies in a range, up to a bound, and sorts it; `gathered` tells how many rows those were. */
function buildGathering({ table, selection, page, ranges }: Parts, { column, bounds }: ColumnRange): string {
  const { name, alias } = table;
  const conditions = [page.after, ...ranges.flatMap((range) => range.bounds)].join(' and ');
  const union = selection.branches
    .map(
      (branch) => `(select ${keysOf(table)} from ${name} ${alias}
        where ${[branch, ...bounds].join(' and ')} order by ${column} limit ${mostGathered + 1})`,
    )
    .join(' union all ');
  const found = readPage({ table, page, rows: 'found', conditions });
  return `with found as materialized (${union})
    select size.gathered, page.* from (select count(*)::int as gathered from found) size
    left join lateral (${found}) page on true`;
}

/** The page out of rows that have the keys of the table, and with it the columns. */
function readPage({
  table: { name, alias, columns, joins = '', keyColumn },
  page: { order, limit },
  rows,
  conditions = 'true',
}: {
  table: ListTable;
  page: PageSql;
  rows: string;
  conditions?: string;
}): string {
  const keys = `${alias}.id, ${alias}.created_at, ${alias}.updated_at, ${alias}.${keyColumn}`;
  const page = `select ${keys} from ${rows} ${alias} where ${conditions} order by ${order} ${limit}`;
  return `select ${columns} from (${page}) first join ${name} ${alias} on ${alias}.id = first.id ${joins}
    order by ${order}`;
}

function keysOf({ alias, keyColumn }: ListTable): string {
  return `${alias}.id, ${alias}.created_at, ${alias}.updated_at, ${alias}.${keyColumn}`;
}
