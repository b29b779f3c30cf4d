import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';

/** Lets requests with large bodies in by turns over those who send them. */
export type LargeTurns = {
  /**
   * Runs a request of somebody: at once where its body is small, else when its turn has come. Its body is not read before.
   *
   * @throws RateLimitedError where too many of the same sender wait.
   */
  run<Answer>(request: { owner: string; headers: Headers }, work: () => Promise<Answer>): Promise<Answer>;
};

/** To read and check what is smaller takes a few milliseconds. */
const largeBytes = 32_768;
/** Of one sender one is at work at a time, and of all so many: there is one event loop for them. */
const atOnce = 2;
/** What is at work for longer waits for something else, such as a chain, and keeps nobody else's turn. */
const usualTurnMs = 100;
const mostWaiting = 100;
const retryAfterSeconds = 1;

/**
 * A large body takes the event loop for tens of milliseconds, step by step. Forty at once would have everybody else wait for a step of
 * each of them between any two steps of their own.
 */
export function createLargeTurns({ turnMs = usualTurnMs }: { turnMs?: number } = {}): LargeTurns {
  const queues = createTurnQueues<() => void>();
  let running = 0;

  const begin = () => {
    while (running < atOnce) {
      const start = queues.take();
      if (!start) return;
      running++;
      start();
    }
  };
  const awaitTurn = (owner: string): Promise<void> => {
    if (queues.count(owner) >= mostWaiting)
      throw new RateLimitedError('Too many large requests wait for their turn.', { retryAfterSeconds });
    const { promise, resolve } = Promise.withResolvers<void>();
    queues.add(owner, resolve);
    begin();
    return promise;
  };

  return {
    async run({ owner, headers }, work) {
      if (!isLarge(headers)) return work();
      await awaitTurn(owner);
      const startedAt = performance.now();
      let hasTurn = true;
      const leave = () => {
        if (!hasTurn) return;
        hasTurn = false;
        running--;
        begin();
        // Requests that are small go on meanwhile: the sender's next large one comes after a rest twice as long.
        setTimeout(
          () => {
            queues.end(owner);
            begin();
          },
          2 * Math.min(performance.now() - startedAt, turnMs),
        ).unref();
      };
      const overdue = setTimeout(leave, turnMs);
      try {
        return await work();
      } finally {
        clearTimeout(overdue);
        leave();
      }
    },
  };
}

/** A body whose length is not announced may have any. */
function isLarge(headers: Headers): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largeBytes;
}
