import pg from 'pg';
import { answerTimeoutMs, keepAlive } from '../../platform/database/silence.ts';

/** A proxy may accept a connection while the database behind it is away. */
const connectTimeoutMs = 10_000;

const longAnswerTimeoutMs = 3_600_000;

/**
 * Lends a new connection to `work`, and closes it afterwards. Fails if the connection is not made within ten seconds, or a statement is
 * not answered within 35, unless `config` says otherwise. A statement that may take longer must be `long`.
 */
export async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    ...keepAlive,
    ...config,
  });
  // If the connection breaks, its query fails too; without a listener the error would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // A broken connection may never answer.
    client.end().catch(() => {});
  }
}

/** A statement that may take minutes, such as the deletion of a large table. It is given up after an hour without an answer. */
export function long(text: string, values: unknown[] = []): pg.QueryConfig {
  const statement = { text, values, query_timeout: longAnswerTimeoutMs };
  return statement;
}
