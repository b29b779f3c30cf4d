import type { PublicClient } from 'viem';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord } from './evidenceSubject.ts';

/** The collection has given way to others after at least one more proved block. */
export class TurnOverError extends Error {
  override readonly name = 'TurnOverError';
}

export type Collecting = {
  readonly source: EvidenceSource;
  readonly client: PublicClient;
  readonly record: EvidenceRecord;
  onProgress(done: number, total: number): void;
  /** Whether to stop before the next block so that others can run. Restarting is cheap: proved blocks are kept. */
  isTurnOver(): boolean;
  readonly signal: AbortSignal;
};
