import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DevDirectory } from '../src/cli/dev/devDirectory.ts';
import { readProcessList } from '../src/cli/dev/leftProcesses.ts';
import { isRunning } from '../src/platform/supervision/processIdentity.ts';
import { type Distribution, summarise } from './distribution.ts';

const intervalMs = 1_000;
const measuredProcesses = ['the api', 'the worker', 'the indexer'];

/**
 * A process's memory in MB (10^6 bytes), and its growth: medians of the second and of the last quarter of the
 * time.
 */
export type Residence = Distribution & { earlyMb: number; lateMb: number };

/**
 * Resident memory of a development stack's processes in MB, sampled once a second. The first quarter of the
 * time, in which caches fill, says nothing about growth.
 */
export async function measureMemory(options: {
  directory: DevDirectory;
  seconds: number;
}): Promise<Record<string, Residence>> {
  const list = readProcessList(options.directory.processesFile);
  const samples = new Map(measuredProcesses.map((name): [string, number[]] => [name, []]));
  for (let second = 0; second < options.seconds; second++) {
    for (const [name, values] of samples) {
      const identity = list[name];
      if (!identity || !isRunning(identity)) throw new Error(`${name} is not running`);
      values.push(readResidentMegabytes(identity.pid));
    }
    await delay(intervalMs);
  }
  return Object.fromEntries(
    [...samples].map(([name, values]) => [name.replace('the ', ''), describeResidence(values)]),
  );
}

function describeResidence(values: readonly number[]): Residence {
  const quarter = Math.max(1, Math.floor(values.length / 4));
  const second = values.slice(quarter, 2 * quarter);
  const early = summarise(second.length > 0 ? second : values);
  const late = summarise(values.slice(-quarter));
  return { ...summarise(values), earlyMb: early.p50, lateMb: late.p50 };
}

function readResidentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1_024) / 1e6;
}
