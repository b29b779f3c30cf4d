import { createDatabaseProxy } from './databaseProxy.ts';

export type SilentProxy = {
  /** The connection string of the database through this proxy. */
  url: string;
  /**
   * From now on nothing passes the existing connections, and neither side is notified, as if a machine or the
   * network failed. Later connections work.
   */
  fallSilent(): void;
  close(): Promise<void>;
};

/** A proxy to a real PostgreSQL that can go silent. */
export async function createSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const { url, sockets, close } = await createDatabaseProxy(databaseUrl, (client, upstream) => {
    client.pipe(upstream).pipe(client);
  });
  return {
    url,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close,
  };
}
