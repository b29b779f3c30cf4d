import { RateLimitedError } from '../../platform/errors/serviceError.ts';

/** Limits how many requests for evidence of one turn are prepared at a time: each holds a whole document. */
export type EvidenceDoor = {
  /** @throws RateLimitedError before the work begins if too many of this turn are under way. */
  admit<Result>(turn: string, prepare: () => Promise<Result>): Promise<Result>;
};

const mostPrepared = 10;
const retryAfterSeconds = 5;

export function createEvidenceDoor(): EvidenceDoor {
  const underWay = new Map<string, number>();
  return {
    async admit(turn, prepare) {
      const count = underWay.get(turn) ?? 0;
      if (count >= mostPrepared)
        throw new RateLimitedError('Too many requests for evidence are under way.', { retryAfterSeconds });
      underWay.set(turn, count + 1);
      try {
        return await prepare();
      } finally {
        const left = (underWay.get(turn) ?? 1) - 1;
        if (left > 0) underWay.set(turn, left);
        else underWay.delete(turn);
      }
    },
  };
}
