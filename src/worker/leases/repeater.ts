import type { Logger } from 'pino';

export type Repeater = {
  /** Runs now. During a run: runs once more right after it. After a failure: runs when the pause is over. */
  wake(): void;
  /** Starts no more runs, and resolves when the last one has ended. */
  close(): Promise<void>;
};

const firstFailurePauseMs = 250;
const longestFailurePauseMs = 10_000;
const mostRestMs = 50;

/**
 * Runs `work` whenever it is woken, and otherwise after each pause, one run after the other. Failures are
 * logged and retried with growing pauses; only `close` ends it.
 */
export function createRepeater(options: {
  what: string;
  work(): Promise<void>;
  /** Milliseconds until the next run without a wake-up; undefined for none. */
  pauseMs(): number | undefined;
  /**
   * After a run, the next one waits for this many times the time that it took, at most `mostRestMs`: what arrives
   * meanwhile is done in one run.
   */
  restShare?: number;
  logger: Logger;
}): Repeater {
  const { what, work, pauseMs, restShare = 0, logger } = options;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWoken = false;
  let isClosed = false;
  let isWaitingOut = false;
  let restsUntil = 0;
  let failures = 0;

  const start = () => {
    clearTimeout(timer);
    isWaitingOut = false;
    running ??= run();
  };
  const run = async () => {
    isWoken = false;
    const startedAt = performance.now();
    try {
      await work();
      failures = 0;
    } catch (error) {
      failures++;
      const retryInMs = Math.min(firstFailurePauseMs * 2 ** (failures - 1), longestFailurePauseMs);
      const level = isClosed ? 'debug' : 'error';
      logger[level]({ err: error, retryInMs }, `${what} failed; retrying`);
      isWaitingOut = true;
      schedule(retryInMs);
      return;
    } finally {
      running = undefined;
      const now = performance.now();
      restsUntil = now + Math.min(restShare * (now - startedAt), mostRestMs);
    }
    if (isWoken) schedule(restMs());
    else schedule(pauseMs());
  };
  const restMs = () => Math.max(0, restsUntil - performance.now());
  const schedule = (afterMs: number | undefined) => {
    clearTimeout(timer);
    if (afterMs !== undefined && !isClosed) timer = setTimeout(start, afterMs);
  };

  return {
    wake() {
      isWoken = true;
      if (running || isWaitingOut || isClosed) return;
      if (restMs() > 0) schedule(restMs());
      else start();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
