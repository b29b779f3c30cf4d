import { setTimeout as delay } from 'node:timers/promises';
import type { AgreementsClient } from '../../../client/src/index.ts';
import { isAway } from '../../support/singleCalls.ts';

export type Insistence = <Answer>(
  request: (service: AgreementsClient) => Promise<Answer>,
) => Promise<Answer | undefined>;

const retryPauseMs = 250;
const patienceMs = 300_000;

/**
 * Sends a request to the replicas in turn until one answers, like a client that must be sure. If the answer
 * is a refusal, calls `onRefusal` and returns undefined.
 */
export function createInsistence(
  services: readonly AgreementsClient[],
  options: { random(): number; onRetry(): void; onRefusal(error: unknown): void },
): Insistence {
  const { random, onRetry, onRefusal } = options;
  return async (request) => {
    let at = Math.floor(random() * services.length);
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const service = services[at++ % services.length];
      if (!service) throw new Error('there is no replica');
      try {
        return await request(service);
      } catch (error) {
        if (!isAway(error)) {
          onRefusal(error);
          return undefined;
        }
        if (performance.now() > giveUpAt) throw error;
        onRetry();
        await delay(retryPauseMs);
      }
    }
  };
}
