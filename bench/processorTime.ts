import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds that a process has been on a processor: other than the clock's, these are about the same on a busy machine. */
export function readProcessorSeconds(pid: number): number {
  const [, , , , , , , , , , , user, system] = readStat(pid);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** The server that one of its backends belongs to: that one lives as long as its connection only. */
export function findDatabaseServer(backendPid: number): number {
  return Number(readStat(backendPid)[1]);
}

/** The same of a PostgreSQL server on this machine, with all its processes, those that have ended too. */
export function readDatabaseSeconds(serverPid: number): number {
  const server = String(serverPid);
  const [, , , , , , , , , , , , , userOfEnded, systemOfEnded] = readStat(serverPid);
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && findParent(name) === server);
  const running = [serverPid, ...processes.map(Number)].map((pid) => {
    try {
      return readProcessorSeconds(pid);
    } catch {
      // It has ended since, and is among those that have.
      return 0;
    }
  });
  return (
    running.reduce((sum, each) => sum + each, 0) +
    (Number(userOfEnded) + Number(systemOfEnded)) / ticksPerSecond
  );
}

/** What the kernel says of a process, from its state on. */
function readStat(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Processes may end while they are looked at. */
function findParent(pid: string): string | undefined {
  try {
    return readStat(pid)[1];
  } catch {
    return undefined;
  }
}
