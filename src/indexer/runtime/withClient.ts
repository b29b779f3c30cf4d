import pg from 'pg';

/** Lends a new connection to `work`, and closes it afterwards. */
export async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
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
