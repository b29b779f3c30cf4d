import type { DevDirectory } from '../src/cli/dev/devDirectory.ts';
import type { DevStack } from '../src/cli/dev/devStack.ts';
import { describeDistribution } from './distribution.ts';
import { measureMemory, type Residence } from './memory.ts';
import type { LoadResult } from './read/sendLoad.ts';
import { listReads, sendReadLoad } from './readLoad.ts';

export type MemoryCommand = { seconds: number; minutes: number; connections: number };

/** By process, at rest and under load. */
export type MemoryResult = {
  options: MemoryCommand;
  atRest: Record<string, Residence>;
  underLoad: Record<string, Residence>;
  load: LoadResult;
};

/**
 * Measures the memory of a development stack's processes at rest and then under a load of reads; prints and
 * returns it.
 */
export async function runMemoryBenchmark({
  stack,
  directory,
  ...options
}: MemoryCommand & { stack: DevStack; directory: DevDirectory }): Promise<MemoryResult> {
  const { seconds, minutes, connections } = options;
  const reads = await listReads(stack);
  const atRest = await measureMemory({ directory, seconds });
  print(`at rest, ${seconds} s`, atRest);
  const loadSeconds = 60 * minutes;
  const [underLoad, load] = await Promise.all([
    measureMemory({ directory, seconds: loadSeconds }),
    sendReadLoad({ stack, reads, seconds: loadSeconds, connections }),
  ]);
  print(`under ${load.total} reads in ${minutes} min, ${load.perSecond} a second`, underLoad);
  return { options, atRest, underLoad, load };
}

function print(title: string, residences: Record<string, Residence>): void {
  console.log(title);
  for (const [name, { earlyMb, lateMb, ...distribution }] of Object.entries(residences)) {
    const growth = Math.round(lateMb - earlyMb);
    console.log(
      `  ${name.padEnd(8)} ${describeDistribution(distribution, 'MB')}   second quarter ${earlyMb}, last ${lateMb}: ${growth > 0 ? '+' : ''}${growth} MB`,
    );
  }
}
