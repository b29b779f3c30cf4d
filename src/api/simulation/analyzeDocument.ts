import { type Analysis, analyzeInTurns } from '../../protocol/index.ts';
import { createWorkBudget } from './workBudget.ts';

/**
 * Analyses a valid document, in turns with other requests. The analysis has its own limits, so that its
 * result is always the same.
 */
export async function analyzeDocument(agreement: unknown): Promise<Analysis> {
  const budget = createWorkBudget(Number.POSITIVE_INFINITY);
  const turns = analyzeInTurns(agreement);
  for (;;) {
    const { done, value } = turns.next();
    if (done) return value;
    await budget.pause();
  }
}
