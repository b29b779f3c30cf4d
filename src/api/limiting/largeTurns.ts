import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';

/** Admits requests that are large or compute for long in turns over their senders. */
export type LargeTurns = {
  /**
   * Runs a request: at once if it is small, otherwise when its sender's turn has come. Its body is not
   * read before.
   *
   * @param request.isHeavy whether it computes for long, however small its body is.
   * @param request.owner the turn; a function is called only for a large request.
   * @throws RateLimitedError if too many of the same sender wait.
   * @throws whatever `owner` throws.
   */
  run<Answer>(
    request: {
      owner: string | (() => Promise<string>);
      headers: Headers;
      isHeavy?: boolean | undefined;
    },
    work: () => Promise<Answer>,
  ): Promise<Answer>;
};

/** Reading and checking a smaller body takes a few milliseconds. */
const largeBytes = 32_768;
/** The most at a time of one sender, and of all senders: there is one event loop for them. */
const atOnce = 2;
/** A request that runs longer waits for something else, such as a chain, and no longer keeps its turn. */
const usualTurnMs = 100;
const mostWaiting = 100;
const retryAfterSeconds = 1;

/**
 * A large body takes the event loop for tens of milliseconds, step by step. With forty at once, everybody
 * else would wait for a step of each of them between any two steps of their own.
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
      throw new RateLimitedError('Too many large requests are waiting.', { retryAfterSeconds });
    const { promise, resolve } = Promise.withResolvers<void>();
    queues.add(owner, resolve);
    begin();
    return promise;
  };

  return {
    async run({ owner: stated, headers, isHeavy = false }, work) {
      const hasLargeBody = isLarge(headers);
      if (!isHeavy && !hasLargeBody) return work();
      const owner = typeof stated === 'string' ? stated : await stated();
      await awaitTurn(owner);
      const startedAt = performance.now();
      let hasTurn = true;
      const leave = () => {
        if (!hasTurn) return;
        hasTurn = false;
        running--;
        begin();
        const end = () => {
          queues.end(owner);
          begin();
        };
        // Whoever sends one small request after the other holds nobody up.
        if (!hasLargeBody && queues.count(owner) === 0) return end();
        // Small requests go on meanwhile: the sender's next one comes after a rest twice as long.
        setTimeout(end, 2 * Math.min(performance.now() - startedAt, turnMs)).unref();
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

/** A body without an announced length may have any length. */
function isLarge(headers: Headers): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largeBytes;
}
