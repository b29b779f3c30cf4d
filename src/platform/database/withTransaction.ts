import type pg from 'pg';
import { withConnection } from './withConnection.ts';

/** The rollback may wait behind a statement that the database no longer answers. */
const rollback = { text: 'rollback', query_timeout: 5_000 };

/** Runs `work` in one database transaction; an error undoes all of it. */
export function withTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return withConnection(pool, async (client, discard) => {
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query(rollback).catch(discard);
      throw error;
    }
  });
}
