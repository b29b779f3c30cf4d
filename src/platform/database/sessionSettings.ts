import type pg from 'pg';

/**
 * What each connection of the service sets for itself. JIT is off: a server that is built with LLVM would compile a plan whenever its
 * estimated cost is high, which takes longer than any statement of this service.
 */
export const commonSettings = { jit: 'off' } as const;

/**
 * Sets these for the rest of a session, in one round trip. They are not sent when the connection is opened, because PgBouncer refuses
 * startup parameters that it does not know.
 */
export async function setUpSession(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const entries = Object.entries({ ...commonSettings, ...settings });
  const calls = entries.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`);
  await client.query(`select ${calls.join(', ')}`, entries.flat());
}
