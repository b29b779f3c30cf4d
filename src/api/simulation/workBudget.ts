import { leaveTurn } from '../../platform/turns/leaveTurn.ts';

/** How long other requests wait at most for one that computes. */
const turnMs = 10;

/** Computing in turns, within a time altogether. */
export type WorkBudget = {
  /** Lets others have their turn where this one has been long; false once the time is used up. */
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
