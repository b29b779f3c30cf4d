import type pg from 'pg';
import type { Logger } from 'pino';
import { createRepeater } from '../leases/repeater.ts';
import { type AttemptResult, recordResults } from './recordResults.ts';

const mostTogether = 200;

export type ResultRecorder = {
  /** Resolves when the result is stored or dropped. Failures are retried. */
  record(result: AttemptResult): Promise<void>;
  /** Drops results that are not stored yet. */
  drop(): void;
  close(): Promise<void>;
};

/**
 * Stores results together that arrive while earlier ones are being stored: the busier it is, the fewer
 * statements an attempt needs.
 */
export function createResultRecorder(options: { pool: pg.Pool; logger: Logger }): ResultRecorder {
  const { pool, logger } = options;
  let waiting: { result: AttemptResult; resolve(): void }[] = [];

  const repeater = createRepeater({
    what: 'recording attempts of deliveries',
    async work() {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, mostTogether);
        await recordResults(
          pool,
          batch.map(({ result }) => result),
        );
        waiting = waiting.filter((item) => !batch.includes(item));
        for (const { resolve } of batch) resolve();
      }
    },
    pauseMs: () => undefined,
    logger,
  });
  const drop = () => {
    for (const { resolve } of waiting) resolve();
    waiting = [];
  };
  return {
    record(result) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ result, resolve });
      repeater.wake();
      return promise;
    },
    drop,
    async close() {
      await repeater.close();
      drop();
    },
  };
}
