import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { clusterDirectory } from '../../../src/cli/devtools/clusterDirectory.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { findServerAccount } from '../../../src/cli/devtools/postgresAccount.ts';
import { ensureCluster, readSuperuserPassword } from '../../../src/cli/devtools/postgresCluster.ts';
import { launchPostgres } from '../../../src/cli/devtools/postgresProcess.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { runProgram } from './debianPrograms.ts';
import { killServer } from './killServer.ts';

/** One PostgreSQL of a pair. */
export type DatabaseNode = {
  readonly name: string;
  readonly port: number;
  /** The superuser's URL, which does not go through a forwarder. */
  readonly url: string;
  /** Ends the server and all its processes at once (SIGKILL), as if its machine were gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Makes a standby the primary, and returns once it accepts writes. */
  promote(): Promise<void>;
  /**
   * From now on a commit is answered only after a standby has written it to disk. Returns once there is a
   * standby.
   */
  requireStandby(): Promise<void>;
};

/** Only processes crash here; the machine's memory survives, so fsync is not needed. */
const settings = { fsync: 'off' };

/** Starts a server on its own cluster: an empty one, or a copy of `source`, which it follows as a standby. */
export async function startDatabaseNode(options: {
  name: string;
  /** The directory with the data of all nodes. */
  directory: string;
  programs: string;
  source?: DatabaseNode;
}): Promise<DatabaseNode> {
  const { name, directory, programs, source } = options;
  const dataDirectory = join(directory, name);
  await mkdir(dataDirectory);
  const [initdb, postgres] = [`${programs}/initdb`, `${programs}/postgres`];
  const account = await findServerAccount({ dataDirectory, programs: [initdb, postgres] });
  const cluster = clusterDirectory(dataDirectory);
  if (source) await copyCluster();
  else await ensureCluster({ dataDirectory, initdb, account });
  const port = await findFreePort();
  const logFile = join(directory, `${name}.log`);
  const server = await launchPostgres({ postgres, dataDirectory, logFile, port, account, settings });
  const password = await readSuperuserPassword(dataDirectory);
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

  async function copyCluster(): Promise<void> {
    if (!source) return;
    const from = `${source.url}?application_name=${name}`;
    await runProgram(account, [
      `${programs}/pg_basebackup`,
      ...['--dbname', from, '--pgdata', cluster],
      ...['--checkpoint=fast', '--wal-method=stream', '--write-recovery-conf'],
    ]);
  }

  return {
    name,
    port,
    url,
    stop: server.stop,
    async kill() {
      await killServer(dataDirectory);
      await server.kill();
    },
    promote: () => runProgram(account, [`${programs}/pg_ctl`, 'promote', '--wait', '--pgdata', cluster]),
    async requireStandby() {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await awaitRow(client, `select 1 from pg_stat_replication where state = 'streaming'`);
        await client.query(`alter system set synchronous_standby_names = '*'`);
        await client.query('select pg_reload_conf()');
        await awaitRow(client, `select 1 from pg_stat_replication where sync_state = 'sync'`);
        // The standby must also have everything that was answered before.
        const { rows } = await client.query<{ position: string }>(
          'select pg_current_wal_lsn()::text as position',
        );
        const query = 'select 1 from pg_stat_replication where flush_lsn >= $1::pg_lsn';
        await awaitRow(client, query, [rows[0]?.position]);
      } finally {
        await client.end();
      }
    },
  };
}

async function awaitRow(client: pg.Client, query: string, values: unknown[] = []): Promise<void> {
  await waitUntil('the standby follows', async () => (await client.query(query, values)).rowCount === 1);
}
