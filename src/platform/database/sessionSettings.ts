import type pg from 'pg';

/**
 * Settings of every connection of the service. JIT is off: a server built with LLVM would compile every plan
 * with a high estimated cost, which takes longer than any statement of this service.
 */
export const commonSettings = { jit: 'off' } as const;

/**
 * With these settings each statement is planned once per connection, and its plan follows indexes: it stays in use when
 * tables have grown that were empty when it was made. In an empty table, reading all is cheapest.
 */
export const planByIndexes = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
} as const;

/**
 * With these settings the database ends the session and releases its locks within a minute if the client's host
 * disappears, also while an answer is under way, when no keepalive is sent.
 */
export const noticeEnd = {
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '60s',
} as const;

/**
 * Applies the settings to a session, in one round trip. They are not startup parameters, because PgBouncer
 * refuses parameters that it does not know.
 */
export async function setUpSession(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const entries = Object.entries({ ...commonSettings, ...settings });
  const calls = entries.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`);
  await client.query(`select ${calls.join(', ')}`, entries.flat());
}
