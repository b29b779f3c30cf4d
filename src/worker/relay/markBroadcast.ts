import type pg from 'pg';
import type { Address } from 'viem';
import { stateLists } from '../../platform/database/tables/transactions.ts';

/**
 * Marks these wallets' rows as `broadcast` if a node has accepted the newest bytes, the nonce is unused, and
 * the row has not changed for `quietMs`. Most rows are mined by then; each change of a row rewrites it in all
 * of its indexes. The attempts say when a node accepted the bytes.
 */
export async function markBroadcast(
  pool: pg.Pool,
  rows: { chainId: number; wallets: readonly { address: Address; minedCount: number }[]; quietMs: number },
): Promise<void> {
  await pool.query({
    name: 'relay broadcast',
    // A row that another process is writing is skipped, to avoid a deadlock.
    text: `
      with taken as (
        select id from unnest($2::text[], $3::bigint[]) as asked(address, mined_count)
        join service.transactions it on it.chain_id = $1 and it.wallet = asked.address and it.wallet_nonce >= asked.mined_count
          and it.state in (${stateLists.sent})
        where it.state || '' = 'signed' and it.updated_at < now() - $4 * interval '1 millisecond' and (
          select accepted_at from service.transaction_attempts newest
          where newest.chain_id = it.chain_id and newest.tx_hash = it.tx_hash) is not null
        for update of it skip locked)
      update service.transactions it set state = 'broadcast', updated_at = now() from taken where it.id = taken.id`,
    values: [
      rows.chainId,
      rows.wallets.map(({ address }) => address),
      rows.wallets.map(({ minedCount }) => minedCount),
      rows.quietMs,
    ],
  });
}
