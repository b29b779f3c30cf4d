import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ConfigurationError } from '../config/configurationError.ts';
import { inTime } from './inTime.ts';
import { answerTimeoutMs } from './silence.ts';

const setting = 'agreements.session';
const mark = `select set_config('${setting}', $1, false)`;
const read = `select current_setting('${setting}', true) as mark`;
/** PgBouncer's answer to a statement that begins a transaction when it pools statements. */
const refusedTransaction = '08P01';

/**
 * Checks that a connection keeps its session. A pooler in transaction mode lends the session to others
 * between transactions, which breaks LISTEN, advisory locks and prepared statements.
 *
 * @param client an open connection that has no transaction under way.
 * @throws ConfigurationError if it does not.
 */
export async function requireSessions(client: pg.Client, url: string): Promise<void> {
  const own = randomBytes(8).toString('hex');
  await inTime(client.query(mark, [own]), answerTimeoutMs);
  const other = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: answerTimeoutMs,
  });
  // If the connection breaks, its query fails too; without a listener the error would end the process.
  other.on('error', () => {});
  await other.connect();
  try {
    await other.query('begin');
    const { rows } = await other.query<{ mark: string | null }>(read);
    if (rows[0]?.mark === own) throw refuse();
    // The pooler may have switched the session, and this connection may belong to either.
    const kept = await inTime(client.query<{ mark: string | null }>(read), answerTimeoutMs);
    if (kept.rows[0]?.mark !== own) throw refuse();
    await other.query('commit');
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === refusedTransaction) throw refuse();
    throw error;
  } finally {
    // A silent database may never answer.
    other.end().catch(() => {});
  }
}

function refuse(): ConfigurationError {
  return new ConfigurationError([
    'DATABASE_URL points to a pooler that does not keep sessions. Set the pooler to session mode (PgBouncer: pool_mode = session), or connect to PostgreSQL directly.',
  ]);
}
