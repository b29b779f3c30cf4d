import type pg from 'pg';

/**
 * Lends a connection to `work` until `work` ends. If the connection breaks meanwhile, or `work` discards it,
 * it is closed instead of returned to the pool, and its session's locks end.
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
  // If a connection breaks, its running query fails too; without a listener the error would end the process.
  client.on('error', discard);
  try {
    return await work(client, discard);
  } finally {
    client.off('error', discard);
    client.release(failure);
  }
}
