import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { summarise } from '../distribution.ts';

/** What the preload tells of a process: milliseconds and megabytes (10^6 bytes). */
const sampleLine = z.object({
  watch: z.object({ heldMs: z.number(), lateMs: z.number(), residentMb: z.number() }),
});

/** The worst of a time; `residentMb` is the most that was held, `restMb` the median. */
export type Samples = { heldMs: number; lateMs: number; residentMb: number; restMb: number };

/** Node's flags for a process that is to be watched. */
export const watchFlags = ['--import', fileURLToPath(new URL('watchProcess.ts', import.meta.url))];

/** Collects what a watched process prints. */
export function collectSamples() {
  let samples: z.infer<typeof sampleLine>['watch'][] = [];
  return {
    /** Takes a line of the process; false for one that is none of the preload's. */
    take(line: string): boolean {
      if (!line.startsWith('{"watch":')) return false;
      samples.push(sampleLine.parse(JSON.parse(line)).watch);
      return true;
    },
    /** Of the time since the last call of this. */
    flush(): Samples {
      const taken = samples;
      samples = [];
      const most = (of: (one: (typeof taken)[number]) => number) => summarise(taken.map(of));
      const resident = most(({ residentMb }) => residentMb);
      return {
        heldMs: most(({ heldMs }) => heldMs).max,
        lateMs: most(({ lateMs }) => lateMs).max,
        residentMb: resident.max,
        restMb: resident.p50,
      };
    },
  };
}
