import type pg from 'pg';
import { rowBytes } from './proofStore.ts';

/** Age since the last use. */
const keptDays = 30;
/** Few enough to hold no lock for long. */
const batchSize = 2_000;

/**
 * Deletes proofs that no file has needed for a month, gives their bytes back to their principals, and returns the
 * number of rows. Several processes may do so at once.
 */
export async function forgetProofs(pool: pg.Pool): Promise<number> {
  for (let total = 0; ; ) {
    const count = await forgetBatch(pool);
    total += count;
    if (count < batchSize) return total;
  }
}

async function forgetBatch(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    // Totals change in the order of the principals, as everywhere, to avoid deadlocks.
    `with forgotten as (
       delete from service.evidence_proofs where (principal_id, chain_id, block_hash, transaction_hash) in (
         select principal_id, chain_id, block_hash, transaction_hash from service.evidence_proofs
         where used_at <= now() - $1 * interval '1 day' order by used_at limit $2 for update skip locked)
       returning principal_id, ${rowBytes} as bytes),
     given_back as (
       insert into service.usage_totals as usage (principal_id, stored_bytes)
       select principal_id, -sum(bytes) from forgotten join service.usage_totals using (principal_id)
       group by principal_id order by principal_id
       on conflict (principal_id) do update set stored_bytes = greatest(0, usage.stored_bytes + excluded.stored_bytes))
     select count(*)::int as count from forgotten`,
    [keptDays, batchSize],
  );
  return rows[0]?.count ?? 0;
}
