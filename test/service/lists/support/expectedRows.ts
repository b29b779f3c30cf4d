import type { Range } from '../../../../src/platform/lists/listFilters.ts';
import type { Sort } from '../../../../src/platform/lists/sort.ts';
import { limit } from './pageCost.ts';
import { firstInstant, stepMs } from './seed.ts';

const at = (step: number) => new Date(firstInstant + step * stepMs).toISOString();

export type Ranges = { createdAt: Range; updatedAt: Range };

/** None; nearly everything; nothing; a few rows out of the middle; much of both times. */
export const ranges = [
  {},
  { createdAt: { gte: at(3) } },
  { createdAt: { lt: at(-1) } },
  { updatedAt: { gte: at(4_000), lt: at(4_003) } },
  { createdAt: { gt: at(1_000) }, updatedAt: { lte: at(9_000) } },
].map(({ createdAt = {}, updatedAt = {} }: Partial<Ranges>): Ranges => ({ createdAt, updatedAt }));

/** Whether the rows are in the order of a time and in a range of the other one, which no index has. */
export const crosses = (sort: Sort, { createdAt, updatedAt }: Ranges) =>
  (Object.keys(createdAt).length > 0 && sort.name !== 'createdAt') ||
  (Object.keys(updatedAt).length > 0 && sort.name !== 'updatedAt');

export const isRanged = ({ createdAt, updatedAt }: Ranges) =>
  Object.keys({ ...createdAt, ...updatedAt }).length > 0;

export type ListedRow = {
  id: string;
  createdAt: string;
  updatedAt: string;
  displayName?: string;
  position?: number | null;
};

/** The ids of two pages. */
export function firstWithin(rows: readonly ListedRow[], range: Ranges): string[] {
  const found: string[] = [];
  for (const row of rows) {
    if (found.length === 2 * limit) break;
    if (isWithin(row, range)) found.push(row.id);
  }
  return found;
}

function isWithin(row: ListedRow, range: Ranges): boolean {
  return (['createdAt', 'updatedAt'] as const).every((name) => {
    const { gt, gte, lt, lte } = range[name];
    const value = row[name];
    return (
      (gt === undefined || value > gt) &&
      (gte === undefined || value >= gte) &&
      (lt === undefined || value < lt) &&
      (lte === undefined || value <= lte)
    );
  });
}

/** By what is sorted by, then by position (those without one last), then by id. */
export function inOrder({ name, direction }: Sort) {
  const sign = direction === 'asc' ? 1 : -1;
  const rankOf = ({ position }: ListedRow) => position ?? Number.MAX_SAFE_INTEGER;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return (a: ListedRow, b: ListedRow) =>
    sign * (compare(a[name] ?? '', b[name] ?? '') || compare(rankOf(a), rankOf(b)) || compare(a.id, b.id));
}

/** The times of a row as lists show them. */
export const timesSql = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
  to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"`;
