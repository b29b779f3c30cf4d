import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { createCounts } from '../../platform/turns/counts.ts';

/** Limits how many requests for evidence of one turn are prepared at a time: each holds a whole document. */
export type EvidenceDoor = {
  /** @throws RateLimitedError before the work begins if too many of this turn are under way. */
  admit<Result>(turn: string, prepare: () => Promise<Result>): Promise<Result>;
};

const mostPrepared = 10;
const retryAfterSeconds = 5;

export function createEvidenceDoor(): EvidenceDoor {
  const underWay = createCounts();
  return {
    async admit(turn, prepare) {
      if (underWay.of(turn) >= mostPrepared)
        throw new RateLimitedError('Too many requests for evidence are under way.', { retryAfterSeconds });
      underWay.add(turn, 1);
      try {
        return await prepare();
      } finally {
        underWay.add(turn, -1);
      }
    },
  };
}
