import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../../platform/database/statements.ts';

/**
 * The condition for rows of the given ascending blocks. The range is redundant, but the planner ignores the numbers:
 * the range makes it expect few rows.
 */
export function inBlocks(column: SQL, numbers: readonly bigint[]): SQL {
  const [first] = numbers;
  if (first === undefined) return sql`false`;
  const last = numbers.at(-1) ?? first;
  return sql`${column} between ${first} and ${last} and ${column} = any(${arrayOf(numbers)}::numeric[])`;
}
