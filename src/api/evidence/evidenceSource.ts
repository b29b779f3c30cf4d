import type pg from 'pg';
import { type Allowance, createAllowance } from '../../platform/turns/allowance.ts';

/** Where proofs and payloads are read from. */
export type EvidenceSource = {
  readonly pool: pg.Pool;
  /** In characters, of all readers together: a history can have hundreds of megabytes. */
  readonly allowance: Allowance;
};

/** Files of up to as much are made without a pause. */
const burstSeconds = 0.25;

export function createEvidenceSource(pool: pg.Pool, charactersPerSecond: number): EvidenceSource {
  const perSecond = charactersPerSecond;
  return { pool, allowance: createAllowance({ perSecond, burst: perSecond * burstSeconds }) };
}
