import type pg from 'pg';

/** PostgreSQL's own code for a write that a standby refuses. */
const readOnly = '25006';

class StandbyError extends Error {
  override readonly name = 'StandbyError';
  readonly code = readOnly;
}

/**
 * Refuses a session that writes nothing, as if the database were away: of a standby, or read-only by a setting of its role or database.
 * After a failover an address may lead to the former primary for a while, which is a standby by then. A pool that kept such a
 * session would write nothing until the session ends, even after the setting is gone, and read what has changed since.
 *
 * @throws an error for which `isDatabaseAway` holds.
 */
export async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean; is_read_only: boolean }>(
    `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::boolean as is_read_only`,
  );
  if (rows[0]?.is_standby !== false)
    throw new StandbyError('The address leads to a standby of the database.');
  if (rows[0].is_read_only)
    throw new StandbyError('The database takes no writes: default_transaction_read_only is on.');
}
