import pg from 'pg';

/** A proxy may accept a connection while the database behind it is away. */
const connectTimeoutMs = 10_000;

/** Lends a new connection to `work`, and closes it afterwards. Fails if it is not made in time: ten seconds, unless `config` says otherwise. */
export async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionTimeoutMillis: connectTimeoutMs, ...config });
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
