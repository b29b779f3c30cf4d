import { spawn } from 'node:child_process';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterDirectory } from './clusterDirectory.ts';
import type { ServerAccount } from './postgresAccount.ts';
import { isSocketFile } from './postgresSocket.ts';

export type PostgresProcess = { stop(): Promise<void>; kill(): Promise<void> };

const readinessIntervalMs = 20;

/**
 * Runs the server and stops it (fast shutdown) as soon as standard input closes, so that it never outlives
 * its parent, however that ended. In its own process group, because an interrupt in the terminal is for the
 * caller, who stops the server last.
 */
const supervisor = `
exec 3<&0
"$@" 3<&- </dev/null >&2 &
server=$!
echo "$server"
{ read -r _ <&3; kill -INT "$server"; } 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"`;

/**
 * Starts the server on an existing cluster and resolves once it accepts connections.
 *
 * @throws Error with the end of the server's log if it ends instead.
 */
export async function launchPostgres(options: {
  postgres: string;
  dataDirectory: string;
  logFile: string;
  port: number;
  /** Of the Unix socket; none if undefined. */
  socketDirectory?: string | undefined;
  account: ServerAccount;
  settings: Readonly<Record<string, string>>;
}): Promise<PostgresProcess> {
  const { dataDirectory, logFile, port, account } = options;
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: quoteDirectory(options.socketDirectory),
    max_connections: '200',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const serverCommand = [options.postgres, '-D', clusterDirectory(dataDirectory), ...flags];
  const [command, ...words] = account.commandLine(['/bin/sh', '-c', supervisor, 'sh', ...serverCommand]);
  const log = await open(logFile, 'a');
  const logStart = (await log.stat()).size;
  const child = spawn(command, words, {
    ...account.spawnOptions,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
  });
  // Before anything is awaited: a server that does not start may end at once.
  const exited = new Promise<void>((settle) =>
    child.once('exit', () => settle()).once('error', () => settle()),
  );
  await log.close();
  const pid = await Promise.race([readServerPid(child.stdout), exited]);
  if (pid === undefined || !(await isReady({ pid, exited, dataDirectory }))) {
    const text = (await readFile(logFile)).subarray(logStart).toString();
    throw new Error(`PostgreSQL did not start on ${dataDirectory}:\n${text.slice(-2_000)}`);
  }
  return {
    async stop() {
      child.stdin?.end();
      await exited;
    },
    async kill() {
      try {
        if (child.exitCode === null && child.signalCode === null) process.kill(pid, 'SIGKILL');
      } catch (error) {
        // It is gone already, and its supervisor about to end.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
      await exited;
    },
  };
}

/** As in a list of directories, in which commas separate them. */
function quoteDirectory(directory: string | undefined): string {
  return directory === undefined ? '' : `"${directory.replaceAll('"', '""')}"`;
}

/** The first line of the supervisor's output. */
async function readServerPid(output: Readable | null): Promise<number | undefined> {
  if (output) for await (const line of createInterface({ input: output })) return Number(line);
  return undefined;
}

/** Waits until the server accepts connections; false if it ended instead. */
async function isReady(server: {
  pid: number;
  exited: Promise<void>;
  dataDirectory: string;
}): Promise<boolean> {
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  while (!ended) {
    const { pid, status } = await readPidFile(server.dataDirectory);
    if (pid === server.pid && status === 'ready') return true;
    await Promise.race([server.exited, delay(readinessIntervalMs)]);
  }
  return false;
}

/**
 * If another program now has the process id of a killed server, PostgreSQL considers its lock files live. A server makes its
 * socket after the file with its process id, and removes it before that: without this file, all sockets are left behind.
 */
export async function removeStaleLocks(dataDirectory: string): Promise<void> {
  const cluster = clusterDirectory(dataDirectory);
  const stale = (await readdir(cluster)).filter(isSocketFile);
  const { pid } = await readPidFile(dataDirectory);
  if (pid !== undefined) {
    const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'unknown');
    if (['postgres', 'unknown'].includes(program.trim())) return;
    stale.push('postmaster.pid');
  }
  await Promise.all(stale.map((name) => rm(join(cluster, name), { force: true })));
}

async function readPidFile(
  dataDirectory: string,
): Promise<{ pid: number | undefined; status: string | undefined }> {
  const file = await readFile(join(clusterDirectory(dataDirectory), 'postmaster.pid'), 'utf8').catch(
    () => '',
  );
  const lines = file.split('\n').map((line) => line.trim());
  return { pid: lines[0] ? Number(lines[0]) : undefined, status: lines[7] };
}
