import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { summarise } from '../distribution.ts';

/** The preload's report about a process: milliseconds and megabytes (10^6 bytes). */
const sampleLine = z.object({
  watch: z.object({ heldMs: z.number(), lateMs: z.number(), residentMb: z.number() }),
});

/** The maxima of a period; `restMb` is the median. */
export type Samples = { heldMs: number; lateMs: number; residentMb: number; restMb: number };

/** Node's flags for a watched process. */
export const watchFlags = ['--import', fileURLToPath(new URL('watchProcess.ts', import.meta.url))];

export function collectSamples() {
  let samples: z.infer<typeof sampleLine>['watch'][] = [];
  return {
    /** Takes a line of the process; returns false for a line that is not from the preload. */
    take(line: string): boolean {
      if (!line.startsWith('{"watch":')) return false;
      samples.push(sampleLine.parse(JSON.parse(line)).watch);
      return true;
    },
    /** Returns the maxima since the last call. */
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
