import type pg from 'pg';
import type { Address } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { stateLists, type transactionAttempts } from '../../platform/database/tables/transactions.ts';
import { withTransaction } from '../../platform/database/withTransaction.ts';
import type { Terms } from './assignRows.ts';
import type { SignedTransaction } from './signTransaction.ts';
import type { LeaseHolder } from './walletRows.ts';

export type NewAttempt = {
  readonly wallet: Address;
  readonly nonce: number;
  /** The newest attempt for this nonce when the new one was decided; undefined for none. */
  readonly previousId: string | undefined;
  /** The row of the bytes; undefined if they only use up the nonce. */
  readonly transactionId: string | undefined;
  readonly signed: SignedTransaction;
  readonly terms: Terms;
};

/**
 * Stores other bytes for a nonce in use, before they leave the process. Stores nothing and returns false if
 * another owner has the lease, somebody has signed for the nonce meanwhile, or the row uses another nonce.
 */
export function storeAttempt(pool: pg.Pool, attempt: NewAttempt, holder: LeaseHolder): Promise<boolean> {
  const { chainId, owner } = holder;
  const { wallet, nonce, previousId, transactionId, signed, terms } = attempt;
  return withTransaction(pool, async (client) => {
    const held = await client.query(
      `select 1 from service.relayer_wallets
       where chain_id = $1 and address = $2 and lease_owner = $3 and lease_until > now() and next_nonce > $4 for update`,
      [chainId, wallet, owner, nonce],
    );
    if (held.rowCount === 0) return false;
    const newest = await client.query<OrNull<RowOf<typeof transactionAttempts, 'id'>>>(
      `select max(id) as id from service.transaction_attempts where chain_id = $1 and wallet = $2 and wallet_nonce = $3`,
      [chainId, wallet, nonce],
    );
    if ((newest.rows[0]?.id ?? undefined) !== previousId) return false;
    if (transactionId !== undefined) {
      const updated = await client.query(
        `with updated as (
           update service.transactions set tx_hash = $4, updated_at = now()
           where id = $1 and wallet = $2 and wallet_nonce = $3 and state in (${stateLists.sent})
           returning id)
         select pg_notify($5, id) from updated`,
        [transactionId, wallet, nonce, signed.hash, channels.transactionChanged],
      );
      if (updated.rowCount === 0) return false;
    }
    await client.query(
      `insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction,
         gas, max_fee_per_gas, max_priority_fee_per_gas)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (chain_id, tx_hash) do update set transaction_id = excluded.transaction_id, created_at = now()`,
      [
        transactionId ?? null,
        chainId,
        wallet,
        nonce,
        signed.hash,
        signed.raw,
        String(terms.gas),
        String(terms.fees.maxFeePerGas),
        String(terms.fees.maxPriorityFeePerGas),
      ],
    );
    return true;
  });
}

type BytesRow = RowAs<typeof transactionAttempts, { id: 'id'; hash: 'tx_hash'; raw: 'raw_transaction' }>;

export async function readBytes(
  pool: pg.Pool,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SignedTransaction>> {
  const { rows } = await pool.query<BytesRow>(
    `select id, tx_hash as hash, raw_transaction as raw from service.transaction_attempts where id = any($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, hash, raw }) => [id, { hash, raw }]));
}
