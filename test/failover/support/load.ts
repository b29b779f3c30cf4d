import { type Agreement, createCaller, type Promised, playCaller } from '../../faults/support/caller.ts';
import { createRandom } from '../../support/random.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';

export type Load = ReturnType<typeof startLoad>;

const patienceMs = 300_000;

/**
 * Callers who deploy agreements and send inputs until they are stopped. They repeat each request until it
 * succeeds.
 */
export function startLoad(stack: ServiceStack, options: { baseUrl: string; callers: number; seed: number }) {
  const { baseUrl, callers, seed } = options;
  const promised: Promised = { deployments: [], inputs: [] };
  const agreements: Agreement[] = [];
  const refusals: string[] = [];
  let isOver = false;
  let retries = 0;
  const shared = {
    stack,
    baseUrls: [baseUrl],
    promised,
    isOver: () => isOver,
    onRetry: () => retries++,
    onRefusal: (description: string) => refusals.push(description),
  };
  const playing = Promise.all(
    Array.from({ length: callers }, (_, at) =>
      playCaller({ ...shared, agreements, random: createRandom(seed * 1_000 + at) }),
    ),
  );
  // The caller of `stop` gets the failure.
  playing.catch(() => {});
  const writes = () => promised.deployments.length + promised.inputs.length;
  return {
    promised,
    /** Answers that a correct client never expects. */
    refusals,
    retries: () => retries,
    /** A caller with its own agreements, to which no other caller sends inputs. */
    createProbe: () => createCaller({ ...shared, agreements: [], random: createRandom(seed) }),
    async awaitWrites(count: number): Promise<void> {
      const wanted = writes() + count;
      await waitUntil('more writes are answered', () => writes() >= wanted, patienceMs);
    },
    async stop(): Promise<void> {
      isOver = true;
      await playing;
    },
  };
}
