import type pg from 'pg';

/** Few enough to hold no lock for long. */
const batchSize = 1_000;

/**
 * Deletes the rows for which the condition holds, in batches, and returns the number. Several processes may
 * do so at once.
 *
 * @param rows in SQL; `key` lists the columns of the table's primary key.
 */
export async function deleteExpired(
  pool: Pick<pg.Pool, 'query'>,
  { table, key, condition }: { table: string; key: string; condition: string },
): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from ${table} where (${key}) in (
         select ${key} from ${table} where ${condition} limit $1 for update skip locked)`,
      [batchSize],
    );
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}
