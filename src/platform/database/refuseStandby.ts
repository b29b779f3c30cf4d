import type pg from 'pg';

/** PostgreSQL's own code for a write that a standby refuses. */
const readOnly = '25006';

class StandbyError extends Error {
  override readonly name = 'StandbyError';
  readonly code = readOnly;
}

/**
 * Refuses a session of a standby, as if the database were away. After a failover an address may lead to the former primary
 * for a while, which is a standby by then. A pool that kept such a session would write nothing until the session ends, and read
 * what has changed since.
 *
 * @throws an error for which `isDatabaseAway` holds.
 */
export async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby');
  if (rows[0]?.is_standby !== false)
    throw new StandbyError('The address leads to a standby of the database.');
}
