import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DevDirectory } from '../src/api/dev/devDirectory.ts';
import { readProcessList } from '../src/api/dev/leftProcesses.ts';
import { isRunning } from '../src/api/supervision/processIdentity.ts';
import { type Distribution, summarise } from './distribution.ts';

const intervalMs = 1_000;
const measuredProcesses = ['the api', 'the worker', 'the indexer'];

/** Resident memory of the processes of a development stack in MB (10^6 bytes), looked at once a second. */
export async function measureMemory(options: {
  directory: DevDirectory;
  seconds: number;
}): Promise<Record<string, Distribution>> {
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
    [...samples].map(([name, values]) => [name.replace('the ', ''), summarise(values)]),
  );
}

function readResidentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1_024) / 1e6;
}
