import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf, recordsOf } from '../../platform/database/statements.ts';
import { stateLists, type transactions } from '../../platform/database/tables/transactions.ts';
import { endWith } from '../../platform/tracing/heldSpans.ts';
import { beginSpan, isTracing } from '../../platform/tracing/tracing.ts';
import { isSameAgreement } from '../../records/agreements/sameAgreement.ts';
import { failSuccessors } from '../outbox/failSuccessors.ts';
import type { BlockMark } from './indexPosition.ts';
import type { Settlement } from './settlePermits.ts';

const isOpen = sql`sent.state in (${stateLists.open})`;

/**
 * Stores the outcome of the permits. Superseded ones come first, because each nonce may have only one transaction that
 * has not failed.
 */
export async function writeSettlement(
  transaction: Queryable,
  { mined, superseded }: Settlement,
): Promise<string[]> {
  const failed = await writeSuperseded(transaction, superseded);
  if (mined.length === 0) return failed;
  const rows = mined.map(({ id, effect }) => ({
    id,
    tx_hash: effect.transactionHash,
    block_number: String(effect.blockNumber),
  }));
  const settled = await idsOf(
    transaction,
    sql`update service.transactions sent set state = 'mined', failure = null, tx_hash = effect.tx_hash,
      mined_block_number = effect.block_number, updated_at = now()
    from ${recordsOf(rows)} as effect(id text, tx_hash text, block_number bigint)
    where sent.id = effect.id and sent.state not in ('mined', 'final')
    returning sent.id`,
  );
  if (isTracing()) await traceSettled(transaction, settled);
  return [...failed, ...settled];
}

type TracedRow = RowOf<typeof transactions, 'id' | 'chain_id'> &
  NotNull<
    RowOf<typeof transactions, 'tx_hash' | 'trace_parent'> &
      RowAs<typeof transactions, { block_number: 'mined_block_number' }>
  >;

/** Adds spans to the transactions' traces when the index shows them. */
async function traceSettled(transaction: Queryable, ids: readonly string[]): Promise<void> {
  const { rows } = await transaction.execute<TracedRow>(sql`
    select id, chain_id, tx_hash, mined_block_number as block_number, trace_parent from service.transactions
    where id = any(${arrayOf(ids)}::text[]) and trace_parent is not null`);
  for (const row of rows) {
    const attributes = {
      'agreements.chain.id': row.chain_id,
      'agreements.transaction.id': row.id,
      'agreements.transaction.hash': row.tx_hash,
      'agreements.block.number': row.block_number,
    };
    const span = beginSpan({ name: 'settle transaction', traceParent: row.trace_parent, attributes });
    if (span) endWith(transaction, span);
  }
}

const superseding = {
  reason: 'permit_superseded',
  message: 'The nonce was used by another permit of the same signer.',
};
const unreadable = {
  reason: 'permit_effect_unreadable',
  message:
    'The nonce was used by a call that cannot be read, such as a call through another contract, so the signed values are unknown. Import the agreement by its address.',
};

async function writeSuperseded(
  transaction: Queryable,
  superseded: Settlement['superseded'],
): Promise<string[]> {
  if (superseded.length === 0) return [];
  const rows = superseded.map(({ id, effect }) => ({
    id,
    block_number: String(effect.blockNumber),
    failure: JSON.stringify({
      ...(effect.contentHash === null ? unreadable : superseding),
      transactionHash: effect.transactionHash,
      blockNumber: String(effect.blockNumber),
    }),
  }));
  return idsOf(
    transaction,
    sql`update service.transactions sent set state = 'failed', failure = effect.failure::json,
      mined_block_number = effect.block_number, updated_at = now()
    from ${recordsOf(rows)} as effect(id text, block_number bigint, failure text)
    where sent.id = effect.id and ${isOpen}
    returning sent.id`,
  );
}

/**
 * Fails every open transaction whose deadline is before the confirmed block and whose nonce is unused in the index,
 * and the same signers' later transactions.
 */
export async function expireTransactions(
  transaction: Queryable,
  { chainId, confirmed }: { chainId: number; confirmed: BlockMark },
): Promise<string[]> {
  const expired = await idsOf(
    transaction,
    sql`update service.transactions sent set state = 'failed', updated_at = now(),
      failure = json_build_object('reason', 'permit_expired',
        'message', 'The deadline of the permit passed before the chain accepted it.',
        'deadline', sent.deadline::text, 'blockNumber', ${String(confirmed.number)}::text)
    where sent.chain_id = ${chainId} and ${isOpen} and sent.deadline < ${confirmed.timestamp}
      and ${isUnused}
    returning sent.id`,
  );
  return withSuccessors(transaction, expired);
}

const moved = {
  reason: 'agreement_moved',
  message:
    'Since a reorganisation, the agreement is no longer at the signed address. The permit was not sent. Sign the input for the address at which the agreement is now.',
};

/**
 * Fails every unsigned input whose agreement has left the signed address, and the same signers' later inputs to that
 * address. The move must have its confirmations, and the nonce must be unused in the index. Such an input is never sent,
 * and would hold the nonce.
 */
export async function failMoved(
  transaction: Queryable,
  { chainId, confirmed: { number } }: { chainId: number; confirmed: BlockMark },
): Promise<string[]> {
  // Deployed elsewhere, or a Draft while another agreement is there. A Draft whose permit may deploy it there stays.
  const hasLeft = (row: SQL) => sql`case record.status
    when 'Deployed' then record.address <> ${row}.contract and record.deploy_block_number <= ${number}
    else exists (
      select 1 from chain_index.agreements shown
      where shown.chain_id = ${chainId} and shown.address = lower(${row}.contract) and shown.block_number <= ${number}
        and (record.error is not null
          or record.deploy_transaction_id is null and not ${sql.raw(isSameAgreement('record', 'shown'))})) end`;
  const failed = await idsOf(
    transaction,
    // `|| ''` keeps the planner from an index over states. So it starts with the waiting inputs, whatever it estimates.
    sql`with gone as materialized (
      select waiting.id
      from service.inputs input
      join service.transactions waiting on waiting.id = input.transaction_id and waiting.state || '' = 'accepted'
      join service.records record on record.id = input.record_id and ${hasLeft(sql`waiting`)}
      where input.chain_id = ${chainId} and input.status = 'PENDING')
    update service.transactions sent set state = 'failed', updated_at = now(), failure = ${JSON.stringify(moved)}::json
    where sent.id = any(array(select id from gone)) and sent.state || '' = 'accepted'
      and (sent.reserved_until is null or sent.reserved_until < now()) and ${isUnused}
      and not exists (
        select 1 from service.inputs shared join service.records record on record.id = shared.record_id
        where shared.transaction_id = sent.id and not ${hasLeft(sql`sent`)})
    returning sent.id`,
  );
  return withSuccessors(transaction, failed);
}

/** Fails the successors of these failed transactions, and returns all of them. */
async function withSuccessors(transaction: Queryable, failed: readonly string[]): Promise<string[]> {
  if (failed.length === 0) return [];
  const successors = await idsOf(
    transaction,
    sql`with failed as (select * from service.transactions where id = any(${arrayOf(failed)}::text[]))
    ${sql.raw(failSuccessors('failed'))}`,
  );
  return [...failed, ...successors];
}

const isUnused: SQL = sql`not exists (
  select 1 from chain_index.permit_counts counted
  where counted.chain_id = sent.chain_id and counted.contract = lower(sent.contract)
    and counted.signer = lower(sent.signer) and counted.count > sent.permit_nonce)`;

/** Marks transactions as final that no reorg can undo any more: those in blocks up to `through`. */
export async function finishTransactions(
  transaction: Queryable,
  { chainId, through }: { chainId: number; through: bigint },
): Promise<void> {
  await transaction.execute(sql`
    update service.transactions set state = 'final', updated_at = now()
    where chain_id = ${chainId} and state = 'mined' and mined_block_number <= ${through}`);
}
