import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import type { Child } from '../../../src/platform/supervision/child.ts';
import { type RunningProcess, startRunning } from '../../support/runningProcess.ts';
import type { ServiceKind, ServiceStack } from '../../support/serviceStack.ts';

const turnProbe = fileURLToPath(new URL('turnProbe.ts', import.meta.url));
/** The time of the probe's fixed piece of work on an otherwise idle machine with two cores. */
const usualAnchorMs = 22;

const readingShape = z.object({
  longestMs: z.number(),
  recentPeakBytes: z.number(),
  peakBytes: z.number(),
});
const anchorShape = z.object({ anchorMs: z.number() });
/**
 * The longest turn of the event loop and the most memory since the last reading, and the most memory ever.
 */
export type Reading = z.output<typeof readingShape>;

export type ProbedProcess = RunningProcess & {
  read(): Promise<Reading>;
  /** The present slow-down of computing, at least 1. */
  findSlowness(): Promise<number>;
};

/** Starts a process of the service that reports the turns of its event loop. The caller ends it. */
export async function startProbed(
  stack: ServiceStack,
  options: { kind: ServiceKind; env?: NodeJS.ProcessEnv; onStart(child: Child): void },
): Promise<ProbedProcess> {
  const port = String(await findFreePort());
  const { env = {} } = options;
  const running = await startRunning(stack, {
    ...options,
    env: { ...env, TURN_PROBE_PORT: port },
    nodeFlags: ['--import', turnProbe],
  });
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  return {
    ...running,
    read: async () => readingShape.parse(await ask('/')),
    findSlowness: async () => Math.max(1, anchorShape.parse(await ask('/anchor')).anchorMs / usualAnchorMs),
  };
}
