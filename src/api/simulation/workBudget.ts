import { leaveTurn } from '../../platform/turns/leaveTurn.ts';

/** The longest wait of other requests for one that computes. */
const turnMs = 10;

/** Computes in turns, within a total time. */
export type WorkBudget = {
  /** Yields if this turn has been long; false once the time is used up. */
  pause(): Promise<boolean>;
};

/** @param totalMs of computing, without what others do in between. */
export function createWorkBudget(totalMs: number): WorkBudget {
  let used = 0;
  let turnStartedAt = performance.now();
  return {
    async pause() {
      const elapsed = performance.now() - turnStartedAt;
      if (elapsed < turnMs) return used + elapsed < totalMs;
      used += elapsed;
      await leaveTurn(turnStartedAt);
      turnStartedAt = performance.now();
      return used < totalMs;
    },
  };
}
