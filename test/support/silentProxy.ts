import { createDatabaseProxy } from './databaseProxy.ts';

export type SilentProxy = {
  /** The connection string of the database through this proxy. */
  url: string;
  /**
   * From here on nothing passes the existing connections, and nobody is notified, as after the loss of a
   * machine or of the network between. Later connections work.
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
