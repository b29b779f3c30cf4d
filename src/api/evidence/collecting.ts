import type pg from 'pg';
import type { PublicClient } from 'viem';
import type { EvidenceRecord } from './evidenceSubject.ts';

/** What the evidence of one agreement is collected from and for. */
export type Collecting = {
  readonly pool: pg.Pool;
  readonly client: PublicClient;
  readonly record: EvidenceRecord;
  /** Called with the number of proved blocks and of all blocks. */
  onProgress(done: number, total: number): void;
  readonly signal: AbortSignal;
};
