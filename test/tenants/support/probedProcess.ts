import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import type { Child } from '../../../src/platform/supervision/child.ts';
import { type RunningProcess, startRunning } from '../../support/runningProcess.ts';
import type { ServiceKind, ServiceStack } from '../../support/serviceStack.ts';

const turnProbe = fileURLToPath(new URL('turnProbe.ts', import.meta.url));

const readingShape = z.object({ longestMs: z.number(), computedMs: z.number(), peakBytes: z.number() });
/** The longest turn of the event loop since the reading before, all that was computed, and the most memory ever. */
export type Reading = z.output<typeof readingShape>;

export type ProbedProcess = RunningProcess & { read(): Promise<Reading> };

/** Starts a process of the service that tells how long its event loop computes at a time. The caller ends it. */
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
  return {
    ...running,
    async read() {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      return readingShape.parse(await response.json());
    },
  };
}
