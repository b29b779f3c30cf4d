import { createHash } from 'node:crypto';
import { type Column, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { MalformedError } from '../errors/serviceError.ts';

/** The last row of a page of a list that begins with the newest: the next page begins after it. */
export type ListPosition = { readonly createdAt: Date; readonly id: string };

const latestMs = 8_640_000_000_000_000;
const idShape = z.string().regex(/^[a-z]+_[0-9a-z]{1,64}$/);

/**
 * A position as callers keep it, of which they need to know nothing.
 *
 * @param list what makes the list another one: its name, whose it is, and all of its filters.
 */
export function writeListPosition(list: readonly unknown[], { createdAt, id }: ListPosition): string {
  return Buffer.from(JSON.stringify([nameOf(list), createdAt.getTime(), id])).toString('base64url');
}

/**
 * The rows after a position, as a condition; without a cursor all rows.
 *
 * @throws MalformedError for a cursor that was not given for this list.
 */
export function buildAfter(
  list: readonly unknown[],
  cursor: string | undefined,
  columns: { createdAt: Column; id: Column },
): SQL | undefined {
  if (cursor === undefined) return undefined;
  const shape = z.tuple([z.literal(nameOf(list)), z.int().min(0).max(latestMs), idShape]);
  const parsed = shape.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success) {
    const [, milliseconds, id] = parsed.data;
    const instant = sql`to_timestamp(0) + ${milliseconds}::float8 * interval '1 millisecond'`;
    return sql`(${columns.createdAt}, ${columns.id}) < (${instant}, ${id})`;
  }
  const issues = [{ path: 'cursor', message: 'is none that this list has given with these filters' }];
  throw new MalformedError('The query is not as expected.', { field: 'cursor', issues });
}

/** A page of a list, the cursor of the next one if there is one, and how long the list is where the page is all of it. */
export type CutPage<Row> = {
  readonly page: Row[];
  readonly nextCursor: string | null;
  readonly totalCount: number | undefined;
};

/** A page out of rows of which one more than wanted was read. */
export function cutPage<Row extends ListPosition>(
  list: readonly unknown[],
  rows: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): CutPage<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    page,
    nextCursor: hasMore ? writeListPosition(list, last) : null,
    totalCount: cursor === undefined && !hasMore ? page.length : undefined,
  };
}

function nameOf(list: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 16);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
