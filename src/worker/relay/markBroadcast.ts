import type pg from 'pg';
import type { Address } from 'viem';
import { stateLists } from '../../platform/database/tables/transactions.ts';

/**
 * Calls the rows of these wallets `broadcast` of which a node has taken the newest bytes, and whose nonce the chain has not used up,
 * once they have been as they are for `quietMs`: most are mined by then, and a row that changes is written anew in all of its
 * indexes. When a node took what is said by the attempts at once.
 */
export async function markBroadcast(
  pool: pg.Pool,
  rows: { chainId: number; wallets: readonly { address: Address; minedCount: number }[]; quietMs: number },
): Promise<void> {
  await pool.query({
    name: 'relay broadcast',
    // A row that another process writes to is skipped, so that neither waits for the other in a circle.
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
