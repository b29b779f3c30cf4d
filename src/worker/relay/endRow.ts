import type pg from 'pg';
import type { Address } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import { stateLists } from '../../platform/database/tables/transactions.ts';
import { failSuccessors } from '../outbox/failSuccessors.ts';
import { openBefore } from './readPredecessor.ts';

type Row = { readonly id: string; readonly wallet: Address; readonly nonce: number };
type Failure = { readonly reason: string; readonly message: string; readonly [fact: string]: unknown };

/**
 * Fails a row, the same signer's later rows that depend on it, and the inputs and Drafts that wait for them.
 * With a `blockNumber`, only once the index has passed that block without the permit's effect, and while no
 * earlier related row may still take effect. The folded head never goes back, so what a reorg has left of the chain
 * counts too. Returns whether it did.
 */
export async function failRow(
  pool: pg.Pool,
  end: {
    chainId: number;
    row: Row;
    failure: Failure;
    blockNumber: bigint | undefined;
    /** Whether its counted gas was paid: if it is opened again, its gas counts again. */
    isPaid: boolean;
  },
): Promise<boolean> {
  const { row } = end;
  return fail(pool, { ...end, id: row.id, place: [row.wallet, row.nonce], condition: 'true' });
}

/** Does the same for a row without anything under way that the chain could still mine. */
export function failUnsent(
  pool: pg.Pool,
  end: {
    chainId: number;
    id: string;
    failure: Failure;
    blockNumber: bigint;
    /** SQL over the row `tx`: leaves the row alone if it does not hold. */
    condition?: string;
  },
): Promise<boolean> {
  return fail(pool, { condition: 'true', ...end, place: undefined, isPaid: false });
}

async function fail(
  pool: pg.Pool,
  end: {
    chainId: number;
    id: string;
    /** The row's current wallet and nonce; undefined for an unsigned row. */
    place: readonly [Address, number] | undefined;
    failure: Failure;
    blockNumber: bigint | undefined;
    isPaid: boolean;
    condition: string;
  },
): Promise<boolean> {
  const { chainId, id, place, failure, blockNumber, isPaid, condition } = end;
  const { reason, message } = failure;
  const [wallet, nonce] = place ?? [null, null];
  const { rowCount } = await pool.query(
    `with failed as (
       update service.transactions tx set state = 'failed', failure = $5::json, updated_at = now(),
         gas_estimate = case when $9 then null else gas_estimate end
       where id = $1 and ((state in (${stateLists.sent}) and wallet = $2 and wallet_nonce = $3)
           or ($2::text is null and state = 'accepted' and (reserved_until is null or reserved_until < now())))
         and ($7::bigint is null or exists (
             select 1 from service.projections where chain_id = $4 and least(head_number, compared_through) >= $7::bigint)
           and not exists (select 1 from ${openBefore('tx')} as earlier))
         and ${condition}
       returning id, principal_id, chain_id, contract, signer, permit_nonce),
     successors as (${failSuccessors('failed')}),
     ended as (
       select id, $6::json as error from failed
       union all
       select id, json_build_object('reason', failure->>'reason', 'message', failure->>'message') from successors),
     inputs as (
       update service.inputs input set status = 'FAILED', error = ended.error, updated_at = now(), tx_hash = coalesce((
         select sent.tx_hash from service.transactions sent where sent.id = input.transaction_id), input.tx_hash)
       from ended where input.transaction_id = ended.id and input.status = 'PENDING'),
     drafts as (
       update service.records record set error = ended.error, updated_at = now()
       from ended where record.deploy_transaction_id = ended.id and record.status = 'Draft')
     select pg_notify($8, id) from ended order by id = $1 desc`,
    [
      id,
      wallet,
      nonce,
      chainId,
      JSON.stringify(failure),
      JSON.stringify({ reason, message }),
      blockNumber === undefined ? null : String(blockNumber),
      channels.transactionChanged,
      isPaid,
    ],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * Has a row signed with a new nonce, as this principal's. Only for a row whose signed forms can no longer be mined. Its hash
 * stays until there is another. If another principal's guest sent it, no guest of this one has used its gas. Returns
 * whether the row was unchanged.
 */
export async function requeueRow(
  pool: pg.Pool,
  {
    chainId,
    row,
    gasEstimate,
  }: { chainId: number; row: Row & { readonly principalId: string | null }; gasEstimate: bigint | undefined },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with requeued as (
       update service.transactions set state = 'accepted', wallet = null, wallet_nonce = null,
         admission = case when principal_id = $7 then admission else (admission::jsonb - 'isGuests')::json end,
         principal_id = $7, gas_estimate = greatest($4::bigint, gas_estimate), updated_at = now()
       where id = $1 and state in (${stateLists.sent}) and wallet = $2 and wallet_nonce = $3
       returning id)
     select pg_notify($5, $6) from requeued`,
    [
      row.id,
      row.wallet,
      row.nonce,
      gasEstimate === undefined ? null : String(gasEstimate),
      channels.outbox,
      String(chainId),
      row.principalId,
    ],
  );
  return rowCount === 1;
}

/** Points an accepted row back to earlier signed bytes that can still be mined. */
export async function readoptRow(
  pool: pg.Pool,
  { id, attempt }: { id: string; attempt: { readonly id: string } },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with readopted as (
       update service.transactions tx set state = case when attempt.accepted_at is null then 'signed' else 'broadcast' end,
         wallet = attempt.wallet, wallet_nonce = attempt.wallet_nonce, tx_hash = attempt.tx_hash, updated_at = now()
       from service.transaction_attempts attempt
       where tx.id = $1 and tx.state = 'accepted' and attempt.id = $2 and attempt.transaction_id = tx.id
       returning tx.id)
     select pg_notify($3, id) from readopted`,
    [id, attempt.id, channels.transactionChanged],
  );
  return rowCount === 1;
}
