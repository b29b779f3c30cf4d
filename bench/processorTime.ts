import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds that a process has been on a processor: other than the clock's, these are about the same on a busy machine. */
export function readProcessorSeconds(pid: number): number {
  const [, , , , , , , , , , , user, system] = readStat(pid);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** The same of a PostgreSQL server on this machine, with all its processes, those that have ended too; by any of its backends. */
export function readDatabaseSeconds(backendPid: number): number {
  const [, server] = readStat(backendPid);
  const [, , , , , , , , , , , , , userOfEnded, systemOfEnded] = readStat(Number(server));
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && findParent(name) === server);
  const running = [Number(server), ...processes.map(Number)].map(readProcessorSeconds);
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
