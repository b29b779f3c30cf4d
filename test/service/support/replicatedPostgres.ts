import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { clusterDirectory } from '../../../src/cli/devtools/clusterDirectory.ts';
import { type PostgresServer, startPostgres } from '../../../src/cli/devtools/postgres.ts';

export type ReplicatedPostgres = {
  primaryUrl: string;
  replicaUrl: string;
  /** Asks as superuser on a new connection, so that no connection breaks when the server ends. */
  askReplica(statement: string): Promise<pg.QueryResult>;
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  close(): Promise<void>;
};

const unsafe = { fsync: 'off', full_page_writes: 'off' };

/** A PostgreSQL with a streaming replica. Queries on the replica never delay its replay. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'agreements-replicated-'));
  const [first, second] = [join(directory, 'primary'), join(directory, 'replica')];
  const closings: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true })];
  const close = async () => {
    for (const end of closings.splice(0).reverse()) await end();
  };
  try {
    // The replica starts as a copy of a cleanly stopped database.
    await (await startPostgres({ dataDirectory: first, settings: unsafe })).stop();
    await mkdir(second);
    await promisify(execFile)('cp', ['-a', clusterDirectory(first), clusterDirectory(second)]);
    await writeFile(join(clusterDirectory(second), 'standby.signal'), '');

    const server = await startPostgres({ dataDirectory: first, settings: unsafe });
    closings.push(server.stop);
    const { username, password, port } = new URL(server.url);
    const source = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
    let replica: PostgresServer | undefined;
    let replicaPort: number | undefined;
    closings.push(async () => replica?.stop());
    const startReplica = async () => {
      replica = await startPostgres({
        dataDirectory: second,
        ...(replicaPort !== undefined && { port: replicaPort }),
        settings: { ...unsafe, primary_conninfo: source, max_standby_streaming_delay: '0' },
      });
      replicaPort = replica.port;
      return replica;
    };
    const { url: replicaUrl } = await startReplica();
    return {
      primaryUrl: server.url,
      replicaUrl,
      async askReplica(statement) {
        const client = new pg.Client({ connectionString: replicaUrl });
        await client.connect();
        try {
          return await insist(client, statement);
        } finally {
          await client.end();
        }
      },
      killReplica: async () => replica?.kill(),
      startReplica: async () => void (await startReplica()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const cancelled = '40001';

/** Repeats a statement that the replay has cancelled because it was in the way, such as of a vacuum. */
async function insist(client: pg.Client, statement: string): Promise<pg.QueryResult> {
  for (;;) {
    try {
      return await client.query(statement);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== cancelled) throw error;
    }
  }
}
