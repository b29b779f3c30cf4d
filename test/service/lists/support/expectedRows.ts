import type { Range } from '../../../../src/platform/lists/listFilters.ts';
import type { Sort } from '../../../../src/platform/lists/sort.ts';
import { limit } from './pageCost.ts';
import { firstInstant, stepMs } from './seed.ts';

const at = (step: number) => new Date(firstInstant + step * stepMs).toISOString();

export type Ranges = { createdAt: Range; updatedAt: Range; namePrefix: string | undefined };

/** No range; nearly everything; nothing; a few rows from the middle; a large part by both times. */
export const ranges = [
  {},
  { createdAt: { gte: at(3) } },
  { createdAt: { lt: at(-1) } },
  { updatedAt: { gte: at(4_000), lt: at(4_003) } },
  { createdAt: { gt: at(1_000) }, updatedAt: { lte: at(9_000) } },
].map(completeRanges);
/** Name ranges: a few rows, many, all, none; and few names combined with a large part of a time. */
export const nameRanges = [
  { namePrefix: 'lease 0001' },
  { namePrefix: 'lease 00' },
  { namePrefix: 'LEASE' },
  { namePrefix: 'Leases' },
  { namePrefix: 'Lease 0001', createdAt: { gte: at(3) } },
].map(completeRanges);

function completeRanges({ createdAt = {}, updatedAt = {}, namePrefix }: Partial<Ranges>): Ranges {
  return { createdAt, updatedAt, namePrefix };
}

/** Whether the rows are sorted by one column and ranged by another, a combination without an index. */
export const crosses = (sort: Sort, { createdAt, updatedAt, namePrefix }: Ranges) =>
  (namePrefix !== undefined && sort.name !== 'displayName') ||
  (Object.keys(createdAt).length > 0 && sort.name !== 'createdAt') ||
  (Object.keys(updatedAt).length > 0 && sort.name !== 'updatedAt');

export const isRanged = ({ createdAt, updatedAt, namePrefix }: Ranges) =>
  namePrefix !== undefined || Object.keys({ ...createdAt, ...updatedAt }).length > 0;

export type ListedRow = {
  id: string;
  createdAt: string;
  updatedAt: string;
  displayName?: string;
  position?: number | null;
};

/** The ids of the first two pages. */
export function firstWithin(rows: readonly ListedRow[], range: Ranges): string[] {
  const found: string[] = [];
  for (const row of rows) {
    if (found.length === 2 * limit) break;
    if (isWithin(row, range)) found.push(row.id);
  }
  return found;
}

function isWithin(row: ListedRow, range: Ranges): boolean {
  const isNamed = row.displayName?.toLowerCase().startsWith(range.namePrefix?.toLowerCase() ?? '') ?? true;
  const times = ['createdAt', 'updatedAt'] as const;
  return (
    isNamed &&
    times.every((name) => {
      const { gt, gte, lt, lte } = range[name];
      const value = row[name];
      return (
        (gt === undefined || value > gt) &&
        (gte === undefined || value >= gte) &&
        (lt === undefined || value < lt) &&
        (lte === undefined || value <= lte)
      );
    })
  );
}

/** Compares by the sort's column, then by position (rows without one last), then by id. */
export function inOrder({ name, direction }: Sort) {
  const sign = direction === 'asc' ? 1 : -1;
  const rankOf = ({ position }: ListedRow) => position ?? Number.MAX_SAFE_INTEGER;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  const textOf = (row: ListedRow) => (row[name] ?? '').toLowerCase();
  return (a: ListedRow, b: ListedRow) =>
    sign * (compare(textOf(a), textOf(b)) || compare(rankOf(a), rankOf(b)) || compare(a.id, b.id));
}

/** The times of a row in the form that lists use. */
export const timesSql = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
  to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"`;
