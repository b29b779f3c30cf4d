import type { PublicClient } from 'viem';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord } from './evidenceSubject.ts';

/** The collection has given way to others. */
export class TurnOverError extends Error {
  override readonly name = 'TurnOverError';
}

export type Collecting = {
  readonly source: EvidenceSource;
  readonly client: PublicClient;
  readonly record: EvidenceRecord;
  onProgress(done: number, total: number): void;
  /** Whether to stop here so that others can run. Proved blocks are kept; all other work has to be done again. */
  isTurnOver(): boolean;
  readonly signal: AbortSignal;
};

/** To be called between any two steps of a collection. @throws TurnOverError, or the signal's reason. */
export function requireTurn({ isTurnOver, signal }: Pick<Collecting, 'isTurnOver' | 'signal'>): void {
  signal.throwIfAborted();
  if (isTurnOver()) throw new TurnOverError();
}
