import type pg from 'pg';

/** Runs `work` in one database transaction; whatever it throws undoes all of it. */
export async function withTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  // A connection that breaks also fails the query that runs; without a listener it would end the process.
  const noteBreak = (error: Error) => {
    failure = error;
  };
  client.on('error', noteBreak);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(noteBreak);
    throw error;
  } finally {
    client.off('error', noteBreak);
    client.release(failure);
  }
}
