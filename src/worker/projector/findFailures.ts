import type { SQL } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';

/** Runs a query that selects `id` and `failureOf`, and returns each row's failure as JSON. */
export async function findFailures(
  transaction: Queryable,
  query: SQL,
): Promise<{ id: string; error: string }[]> {
  const { rows } = await transaction.execute<{ id: string; failure: { reason: string; message: string } }>(
    query,
  );
  return rows.map(({ id, failure: { reason, message } }) => ({
    id,
    error: JSON.stringify({ reason, message }),
  }));
}
