import type { PublicClient } from 'viem';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord } from './evidenceSubject.ts';

/** What the evidence of one agreement is collected from and for. */
export type Collecting = {
  readonly source: EvidenceSource;
  readonly client: PublicClient;
  readonly record: EvidenceRecord;
  /** Called with the number of proved blocks and of all blocks. */
  onProgress(done: number, total: number): void;
  readonly signal: AbortSignal;
};
