import { createDatabaseProxy } from '../../support/databaseProxy.ts';

export type CountedDatabase = {
  /** The connection string of the database through this proxy. */
  url: string;
  /** The size in bytes of the longest answer to one message since the last call. */
  takeLongest(): number;
  close(): Promise<void>;
};

/** A proxy to a real PostgreSQL that counts the bytes of its answers. */
export async function createCountedDatabase(databaseUrl: string): Promise<CountedDatabase> {
  let longest = 0;
  const { url, close } = await createDatabaseProxy(databaseUrl, (client, upstream) => {
    let bytes = 0;
    client.on('data', (data) => {
      bytes = 0;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      bytes += data.length;
      longest = Math.max(longest, bytes);
      client.write(data);
    });
  });
  return {
    url,
    takeLongest() {
      const taken = longest;
      longest = 0;
      return taken;
    },
    close,
  };
}
