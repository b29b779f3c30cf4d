import type { SQL } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import type { transactions } from '../../platform/database/tables/transactions.ts';

type FailureRow = { id: string } & NotNull<RowOf<typeof transactions, 'failure'>>;

/** Runs a query that selects `id` and `failureOf`, and returns each row's failure as JSON. */
export async function findFailures(
  transaction: Queryable,
  query: SQL,
): Promise<{ id: string; error: string }[]> {
  const { rows } = await transaction.execute<FailureRow>(query);
  return rows.map(({ id, failure: { reason, message } }) => ({
    id,
    error: JSON.stringify({ reason, message }),
  }));
}
