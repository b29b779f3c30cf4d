import type pg from 'pg';
import type { Address } from 'viem';
import { channels } from '../database/channels.ts';

type Row = { readonly id: string; readonly wallet: Address; readonly nonce: number };
type Failure = { readonly reason: string; readonly message: string; readonly [fact: string]: unknown };

/**
 * Ends a row as failed, with the inputs and the Drafts that wait for it. With a `blockNumber`, only once the index has passed that
 * block without showing the permit's effect. Returns whether it did.
 */
export async function failRow(
  pool: pg.Pool,
  end: { chainId: number; row: Row; failure: Failure; blockNumber: bigint | undefined },
): Promise<boolean> {
  const { chainId, row, failure, blockNumber } = end;
  const { reason, message } = failure;
  const { rowCount } = await pool.query(
    `with failed as (
       update service.transactions set state = 'failed', failure = $5::json, updated_at = now()
       where id = $1 and state in ('signed', 'broadcast') and wallet = $2 and wallet_nonce = $3
         and ($7::bigint is null or exists (
           select 1 from service.projections where chain_id = $4 and head_number >= $7::bigint))
       returning id),
     inputs as (
       update service.inputs it set status = 'FAILED', error = $6::json, updated_at = now()
       from failed where it.transaction_id = failed.id and it.status = 'PENDING'),
     drafts as (
       update service.records it set error = $6::json, updated_at = now()
       from failed where it.deploy_transaction_id = failed.id and it.status = 'Draft')
     select pg_notify($8, id) from failed`,
    [
      row.id,
      row.wallet,
      row.nonce,
      chainId,
      JSON.stringify(failure),
      JSON.stringify({ reason, message }),
      blockNumber === undefined ? null : String(blockNumber),
      channels.transactionChanged,
    ],
  );
  return rowCount === 1;
}

/**
 * Has a row signed with a new nonce. Only for one of which nothing that was signed can be mined any more. Its hash stays until it
 * has another. Returns whether the row was still the one that was looked at.
 */
export async function requeueRow(
  pool: pg.Pool,
  { chainId, row, gasEstimate }: { chainId: number; row: Row; gasEstimate: bigint | undefined },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with requeued as (
       update service.transactions set state = 'accepted', wallet = null, wallet_nonce = null,
         gas_estimate = coalesce($4::bigint, gas_estimate), updated_at = now()
       where id = $1 and state in ('signed', 'broadcast') and wallet = $2 and wallet_nonce = $3
       returning id)
     select pg_notify($5, $6) from requeued`,
    [
      row.id,
      row.wallet,
      row.nonce,
      gasEstimate === undefined ? null : String(gasEstimate),
      channels.outbox,
      String(chainId),
    ],
  );
  return rowCount === 1;
}

/** Points an accepted row back to bytes that were signed for it before and that can still be mined. */
export async function readoptRow(
  pool: pg.Pool,
  { id, attempt }: { id: string; attempt: { readonly id: number } },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with readopted as (
       update service.transactions it set state = case when attempt.accepted_at is null then 'signed' else 'broadcast' end,
         wallet = attempt.wallet, wallet_nonce = attempt.wallet_nonce, tx_hash = attempt.tx_hash, updated_at = now()
       from service.transaction_attempts attempt
       where it.id = $1 and it.state = 'accepted' and attempt.id = $2 and attempt.transaction_id = it.id
       returning it.id)
     select pg_notify($3, id) from readopted`,
    [id, attempt.id, channels.transactionChanged],
  );
  return rowCount === 1;
}
