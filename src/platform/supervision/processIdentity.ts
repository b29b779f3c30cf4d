import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * A process, distinguishable from a later one with the same number: `startedAt` is in ticks since the
 * machine's start.
 */
export const processIdentityShape = z.object({ pid: z.int().positive(), startedAt: z.string() });
export type ProcessIdentity = z.output<typeof processIdentityShape>;

/** The identity of a running process; null if it does not run. */
export function findProcess(pid: number): ProcessIdentity | null {
  try {
    // The name is in brackets and may hold anything. The state is the first field after it, the start time
    // the twentieth.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    return state === 'Z' || startedAt === undefined ? null : { pid, startedAt };
  } catch {
    return process.platform !== 'linux' && isAlive(pid) ? { pid, startedAt: 'unknown' } : null;
  }
}

/** The identity of a process that certainly runs, such as this one. Throws if it does not run. */
export function getProcess(pid: number): ProcessIdentity {
  const identity = findProcess(pid);
  if (!identity) throw new Error(`the process ${pid} does not exist`);
  return identity;
}

/** Whether this very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return findProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Signals a process group; returns false if it does not exist. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
