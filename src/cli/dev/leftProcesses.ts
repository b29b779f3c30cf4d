import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  findProcess,
  isRunning,
  type ProcessIdentity,
  processIdentityShape,
  signalGroup,
} from '../../platform/supervision/processIdentity.ts';

const stopTimeoutMs = 15_000;
const pollMs = 50;
const listShape = z.record(z.string(), processIdentityShape);

/** Stores a stack's processes, so that a start after a crash can end the survivors. */
export type ProcessList = { note(name: string, pid: number): void };

export function createProcessList(file: string): ProcessList {
  const list = new Map<string, ProcessIdentity>();
  return {
    note(name, pid) {
      const identity = findProcess(pid);
      if (!identity) return;
      list.set(name, identity);
      // Concurrent readers find the previous list, never half of this one.
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(list)), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

/** Ends the listed processes that still run, first with a request and then by force; returns their names. */
export async function endLeftProcesses(file: string): Promise<string[]> {
  const left = Object.entries(readProcessList(file)).filter(([, identity]) => isRunning(identity));
  for (const [, { pid }] of left) signalGroup(pid, 'SIGTERM');
  const overdueAt = Date.now() + stopTimeoutMs;
  while (left.some(([, identity]) => isRunning(identity))) {
    if (Date.now() > overdueAt) for (const [, { pid }] of left) signalGroup(pid, 'SIGKILL');
    await delay(pollMs);
  }
  return left.map(([name]) => name);
}

/** The processes of the last run by name; some of them may have ended since. */
export function readProcessList(file: string): Record<string, ProcessIdentity> {
  try {
    return listShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
