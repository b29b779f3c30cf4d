import { orderedKey } from '../database/orderedKey.ts';
import type { Parameter } from '../database/runPrepared.ts';
import { buildFilter, buildIndexRange } from './indexRange.ts';
import { type Bound, listBounds, listPrefixBounds, type Range } from './listFilters.ts';
import { buildPage, type ListPart, type PageSql } from './page.ts';
import { findPosition, type ReadName } from './position.ts';
import { type SortColumn, sortColumns, sortedSql } from './sort.ts';
import type { SqlParameters } from './sqlParameters.ts';

/** The source of a list's rows, and the columns to read. */
export type ListTable = {
  readonly name: string;
  /** The table's alias in conditions and columns. */
  readonly alias: string;
  /** The order of rows with the same value: SQL of a whole number. */
  readonly rank?: string;
  /** Columns for order and ranges, in addition to id, created_at and updated_at. */
  readonly keyColumn: string;
  /** The columns to read, from the table and its joins. */
  readonly columns: string;
  readonly joins?: string;
};

/**
 * Rows with one value of a key. Every sort of the list has an index `(key, sort column, rank, id)` on it, as
 * `orderedKey` writes it. The filter covers what the key does not.
 */
export type Branch = { readonly key: string; readonly value: string; readonly filter?: string };

/** The requested part of a list: the rows of all branches. No row is in two branches. */
export type Selection = ListPart & {
  readonly branches: readonly [Branch, ...Branch[]];
  readonly createdAt: Range;
  readonly updatedAt: Range;
  /** The prefix of the rows' names, if rows have names. */
  readonly namePrefix?: string | undefined;
  /** For a list in the order of names. */
  readonly readName?: ReadName;
};

/** A query of a page's rows; it returns the table's columns and `added`. */
export type ListQuery = { readonly text: string; readonly added: readonly string[] };

type RowPart = { id: string | null; gathered?: number | null };

/**
 * Up to this many rows in a range, sorting them is cheaper than searching in the order of the list. With more
 * rows a page in that order fills up soon.
 */
const mostGathered = 500;

/**
 * Reads a page of a list. It never reads many more rows than the page has, with one exception: a range of
 * names or of one time combined with the order of another column, which no index can serve. Then it reads the
 * range if that has few rows, and otherwise follows the order.
 *
 * @param run runs a query of the page's rows with these parameters; if there are none, it may return a row of nulls.
 * @throws MalformedError for a cursor of another list.
 */
export async function queryList<Row extends RowPart>(
  table: ListTable,
  { selection, parameters }: { selection: Selection; parameters: SqlParameters },
  run: (query: ListQuery, parameters: readonly Parameter[]) => Promise<Row[]>,
): Promise<(Row & { id: string })[]> {
  const { list, sort, cursor, createdAt, updatedAt, namePrefix, readName } = selection;
  const { alias, rank } = table;
  const position = cursor === undefined ? undefined : await findPosition({ list, sort, cursor }, readName);
  const page = buildPage(alias, selection, { position, parameters, rank });
  const rangeOf = (name: SortColumn, bounds: readonly Bound[]): ColumnRange[] =>
    bounds.length === 0 ? [] : [{ name, column: sortedSql(alias, name), bounds }];
  const ranges = [
    ...rangeOf('display_name', listPrefixBounds(namePrefix, parameters)),
    ...rangeOf('created_at', listBounds(createdAt, parameters)),
    ...rangeOf('updated_at', listBounds(updatedAt, parameters)),
  ];
  const parts = { table, selection, page, ranges };
  for (const range of ranges) {
    if (range.name === sortColumns[sort.name]) continue;
    const rows = await run({ text: buildGathering(parts, range), added: ['gathered'] }, parameters.values);
    if ((rows[0]?.gathered ?? 0) <= mostGathered) return rows.filter(isPresent);
  }
  return (await run({ text: buildWalk(parts), added: [] }, parameters.values)).filter(isPresent);
}

function isPresent<Row extends RowPart>(row: Row): row is Row & { id: string } {
  return row.id !== null;
}

type ColumnRange = {
  readonly name: SortColumn;
  readonly column: string;
  readonly bounds: readonly Bound[];
};

type Parts = {
  readonly table: ListTable;
  readonly selection: Selection;
  readonly page: PageSql;
  readonly ranges: readonly ColumnRange[];
};

const earliest = `'-infinity'::timestamptz`;
const lowestOf = { created_at: earliest, updated_at: earliest, display_name: `''` } as const;

/** Follows the order of the list until the page is full; with several branches, it follows all of them. */
function buildWalk({ table, selection, page, ranges }: Parts): string {
  const { name, alias, columns, joins = '' } = table;
  const { direction } = selection.sort;
  const sorted = sortColumns[selection.sort.name];
  const column = sortedSql(alias, sorted);
  const { order, position, limit } = page;
  const own = ranges.find((range) => range.name === sorted);
  const others = ranges.filter((range) => range !== own).flatMap(listConditions);
  const { start, end } = splitBounds(own?.bounds ?? [], direction);
  // If every entry is a row of the page, the page is full before many entries behind the range are read.
  const isCut = end.length > 0 && others.length === 0 && selection.branches.every(({ filter }) => !filter);
  const rowsOf = ({ key: subject, value, filter }: Branch, what: string) => {
    const key = orderedKey(subject, sorted);
    const bounds = isCut ? start : [...start, ...end];
    const lowest = lowestOf[sorted];
    const range = buildIndexRange({ key, value, column, lowest, bounds, position, direction });
    const filters = [...(filter === undefined ? [] : [filter]), ...others].map(buildFilter);
    return `select ${what} from ${name} ${alias} ${what === columns ? joins : ''}
    where ${[...range, ...filters].join(' and ')} order by ${key} ${direction}, ${order} ${limit}`;
  };
  const [first, ...more] = selection.branches;
  if (more.length === 0 && !isCut) return rowsOf(first, columns);
  const rows = selection.branches.map((branch) => `(${rowsOf(branch, keysOf(table))})`).join(' union all ');
  const conditions = isCut ? writeConditions(column, end).join(' and ') : undefined;
  return readPage({ table, page, rows: `(${rows})`, conditions });
}

/**
 * Reads a range up to a bound, and sorts it; `gathered` is the number of rows read. It reads this many
 * entries from the lower end of the range on, whether the range ends among them or not: up to PostgreSQL 17 a
 * scan with an end condition skips over all entries behind the range.
 */
function buildGathering({ table, selection, page, ranges }: Parts, range: ColumnRange): string {
  const { name, alias } = table;
  const { column, bounds } = range;
  const { start: entered, end } = splitBounds(bounds, 'asc');
  const { direction } = selection.sort;
  const { position } = page;
  const start =
    position &&
    `(${position.columns.join(', ')}) ${direction === 'asc' ? '>' : '<'} (${position.values.join(', ')})`;
  const conditions = [
    ...(start === undefined ? [] : [start]),
    'is_wanted',
    ...ranges.filter((one) => one !== range).flatMap(listConditions),
  ].join(' and ');
  const rows = selection.branches
    .map(({ key: subject, value, filter }) => {
      const key = orderedKey(subject, range.name);
      const entries = buildIndexRange({
        key,
        value,
        column,
        lowest: lowestOf[range.name],
        bounds: entered,
        direction: 'asc',
      });
      const wanted = filter === undefined ? 'true' : buildFilter(filter);
      return `(select ${keysOf(table)}, ${wanted} as is_wanted from ${name} ${alias}
        where ${entries.join(' and ')} order by ${key}, ${column} limit ${mostGathered + 1})`;
    })
    .join(' union all ');
  const within = end.length === 0 ? 'true' : writeConditions(column, end).join(' and ');
  const found = readPage({ table, page, rows: 'found', conditions });
  return `with found as materialized (select * from (${rows}) ${alias} where ${within})
    select size.gathered, page.* from (select count(*)::int as gathered from found) size
    left join lateral (${found}) page on true`;
}

/** The bounds at which a scan in this direction enters and leaves a range. */
function splitBounds(bounds: readonly Bound[], direction: 'asc' | 'desc'): Record<'start' | 'end', Bound[]> {
  const isStart = ({ operator }: Bound) => operator.startsWith('>') === (direction === 'asc');
  return { start: bounds.filter(isStart), end: bounds.filter((bound) => !isStart(bound)) };
}

function listConditions({ column, bounds }: ColumnRange): string[] {
  return writeConditions(column, bounds);
}

function writeConditions(column: string, bounds: readonly Bound[]): string[] {
  return bounds.map(({ operator, value }) => `${column} ${operator} ${value}`);
}

/** The page from rows with the table's keys, joined with its columns. */
function readPage({
  table: { name, alias, columns, joins = '', keyColumn },
  page: { order, limit },
  rows,
  conditions = 'true',
}: {
  table: ListTable;
  page: PageSql;
  rows: string;
  conditions?: string | undefined;
}): string {
  const keys = `${alias}.id, ${alias}.created_at, ${alias}.updated_at, ${alias}.${keyColumn}`;
  const page = `select ${keys} from ${rows} ${alias} where ${conditions} order by ${order} ${limit}`;
  return `select ${columns} from (${page}) first join ${name} ${alias} on ${alias}.id = first.id ${joins}
    order by ${order}`;
}

function keysOf({ alias, keyColumn }: ListTable): string {
  return `${alias}.id, ${alias}.created_at, ${alias}.updated_at, ${alias}.${keyColumn}`;
}
