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
        join service.transactions tx on tx.chain_id = $1 and tx.wallet = asked.address and tx.wallet_nonce >= asked.mined_count
          and tx.state in (${stateLists.sent})
        where tx.state || '' = 'signed' and tx.updated_at < now() - $4 * interval '1 millisecond' and (
          select accepted_at from service.transaction_attempts newest
          where newest.chain_id = tx.chain_id and newest.tx_hash = tx.tx_hash) is not null
        for update of tx skip locked)
      update service.transactions tx set state = 'broadcast', updated_at = now() from taken where tx.id = taken.id`,
    values: [
      rows.chainId,
      rows.wallets.map(({ address }) => address),
      rows.wallets.map(({ minedCount }) => minedCount),
      rows.quietMs,
    ],
  });
}
