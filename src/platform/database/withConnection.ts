import type pg from 'pg';

/**
 * Lends a connection to `work` until that has ended. One that breaks meanwhile, or that `work` discards, is closed and does not
 * come back into the pool, and whatever it held ends with it.
 */
export async function withConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, discard: (reason: Error) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const discard = (reason: Error) => {
    failure = reason;
  };
  // A connection that breaks also fails the query that runs; without a listener it would end the process.
  client.on('error', discard);
  try {
    return await work(client, discard);
  } finally {
    client.off('error', discard);
    client.release(failure);
  }
}
