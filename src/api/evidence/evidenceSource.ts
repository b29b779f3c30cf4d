import type pg from 'pg';
import { type Allowance, createAllowance } from '../../platform/turns/allowance.ts';
import type { QuotaKeeper } from '../../records/quotas/quotaKeeper.ts';

export type EvidenceSource = {
  readonly pool: pg.Pool;
  /** Characters of all readers together: a history can have hundreds of megabytes. */
  readonly allowance: Allowance;
  /** Inputs of an agreement; evidence of more is refused. */
  readonly mostInputs: number;
  /** Bytes of a file; evidence that would be larger is refused. */
  readonly mostBytes: number;
  /** Stored proofs count as stored bytes of their principal. */
  readonly quotas: Pick<QuotaKeeper, 'check' | 'note'>;
  /** Whether other requests wait for the event loop: evidence is made more slowly then. */
  readonly areOthersWaiting: () => boolean;
  /** Named in files as the maker's address. */
  readonly publicBaseUrl: string;
};

/** Files of up to as much are made without a pause. */
const burstSeconds = 0.25;

export function createEvidenceSource(
  pool: pg.Pool,
  {
    charactersPerSecond: perSecond,
    ...settings
  }: Omit<EvidenceSource, 'pool' | 'allowance'> & { charactersPerSecond: number },
): EvidenceSource {
  const allowance = createAllowance({ perSecond, burst: perSecond * burstSeconds });
  return { ...settings, pool, allowance };
}
