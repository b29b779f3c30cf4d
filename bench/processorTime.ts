import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of processor time of a process; unlike clock time, they are about the same on a busy machine. */
export function readProcessorSeconds(pid: number): number {
  const [, , , , , , , , , , , user, system] = readStat(pid);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** The process id of the server that has this backend. A backend process ends with its connection. */
export function findDatabaseServer(backendPid: number): number {
  return Number(readStat(backendPid)[1]);
}

/**
 * Seconds of processor time of a PostgreSQL server on this machine with all of its processes, including ended
 * ones.
 */
export function readDatabaseSeconds(serverPid: number): number {
  const server = String(serverPid);
  const [, , , , , , , , , , , , , userOfEnded, systemOfEnded] = readStat(serverPid);
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && findParent(name) === server);
  const running = [serverPid, ...processes.map(Number)].map((pid) => {
    try {
      return readProcessorSeconds(pid);
    } catch {
      // The process has just ended, so the server's figures for ended processes include it.
      return 0;
    }
  });
  return (
    running.reduce((sum, each) => sum + each, 0) +
    (Number(userOfEnded) + Number(systemOfEnded)) / ticksPerSecond
  );
}

/** The kernel's data about a process, from its state on. */
function readStat(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in brackets, may contain spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Processes may end while they are read. */
function findParent(pid: string): string | undefined {
  try {
    return readStat(pid)[1];
  } catch {
    return undefined;
  }
}
