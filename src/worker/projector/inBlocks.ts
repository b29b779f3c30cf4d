import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../../platform/database/statements.ts';

/**
 * The condition for rows of the given blocks, which ascend. Their range says nothing more, but is taken for few rows by a planner
 * that does not look at the numbers.
 */
export function inBlocks(column: SQL, numbers: readonly bigint[]): SQL {
  const [first] = numbers;
  if (first === undefined) return sql`false`;
  const last = numbers.at(-1) ?? first;
  return sql`${column} between ${first} and ${last} and ${column} = any(${arrayOf(numbers)}::numeric[])`;
}
