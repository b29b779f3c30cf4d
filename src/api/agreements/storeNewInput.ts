import type pg from 'pg';
import type { Hex } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import { createId } from '../../platform/database/ids.ts';
import { inGroups } from '../../platform/database/inGroups.ts';
import { notifySoon } from '../../platform/database/notifySoon.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { currentTraceParent, traceStep } from '../../platform/tracing/tracing.ts';
import { acceptedAt } from './acceptedAt.ts';
import type { NewTransaction } from './storeTransaction.ts';

export type NewInput = {
  readonly recordId: string;
  readonly inputId: string;
  readonly principalId: string;
  readonly payload: Hex;
  readonly values: Record<string, unknown>;
};

type Submission = {
  /** The transaction's id if it is new. */
  transactionId: string;
  transaction: Omit<NewTransaction, 'kind' | 'principalId'>;
  input: NewInput;
};
type Stored = { id: string; transactionId: string };

/** In the order of their digests, to avoid deadlocks between processes that store the same permits. */
const statement = `
  with new as (
    select * from json_to_recordset($1::json) as new(transaction_id text, chain_id int, contract text, signer text, permit_nonce numeric,
      permit_digest text, content_hash text, deadline numeric, call_data text, gas_estimate bigint, request_id text, trace_parent text,
      principal_id text, gas_kind text, admission json, id text, record_id text, input_id text, payload text, "values" json)),
  stored as (
    insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash,
      deadline, call_data, gas_estimate, request_id, trace_parent, principal_id, gas_kind, admission, created_at)
    select transaction_id, chain_id, 'input', contract, signer, permit_nonce, permit_digest, content_hash,
      deadline, call_data, gas_estimate, request_id, trace_parent, principal_id, gas_kind, admission,
      ${acceptedAt("new.admission -> 'after' ->> -1")}
    from new order by chain_id, permit_digest, signer
    on conflict (chain_id, permit_digest, signer) do nothing
    returning id)
  insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, user_id, transaction_id,
    signer, payload, "values")
  select new.id, record_id, chain_id, contract, input_id, 'PENDING', principal_id, transaction_id, signer, payload, "values"
  from new join stored on stored.id = new.transaction_id
  returning id`;

/**
 * Stores an input with its transaction, all or nothing, in one round trip shared by concurrent inputs of
 * its principal, and then notifies the relay. Stores nothing and returns undefined if the same permit already has a transaction.
 *
 * @throws pg.DatabaseError for the constraint `transactions_open_permit`, if another open permit holds the nonce.
 */
export function storeNewInput(pool: pg.Pool, submission: Submission): Promise<Stored | undefined> {
  const { chainId } = submission.transaction;
  return traceStep(
    { name: 'store transaction', attributes: { 'agreements.chain.id': chainId } },
    async () => {
      const id = await store(pool, newRow(submission));
      if (id === undefined) return undefined;
      notifySoon(pool, channels.outbox, [String(chainId)]);
      return { id, transactionId: submission.transactionId };
    },
  );
}

/**
 * The id of the input; undefined if nothing was stored. The database waits if a fold is changing the row of the same permit,
 * or of another one for the nonce.
 */
const store = inGroups<NewRow, string | undefined>(
  async (pool, rows) => {
    const stored = await runPrepared<RowOf<typeof inputs, 'id'>>(pool, statement, [JSON.stringify(rows)]);
    const ids = new Set(stored.map(({ id }) => id));
    return rows.map(({ id }) => (ids.has(id) ? id : undefined));
  },
  ({ principal_id: principalId }) => principalId,
);

type NewRow = ReturnType<typeof newRow>;

function newRow({ transactionId, transaction, input }: Submission) {
  return {
    transaction_id: transactionId,
    chain_id: transaction.chainId,
    contract: transaction.contract,
    signer: transaction.signer,
    permit_nonce: String(transaction.permitNonce),
    permit_digest: transaction.permitDigest,
    content_hash: transaction.contentHash,
    deadline: String(transaction.deadline),
    call_data: transaction.callData,
    gas_estimate: transaction.gasEstimate?.toString(),
    request_id: transaction.requestId,
    trace_parent: currentTraceParent(),
    principal_id: input.principalId,
    gas_kind: transaction.gasKind,
    admission: transaction.admission,
    id: createId('inp'),
    record_id: input.recordId,
    input_id: input.inputId,
    payload: input.payload,
    values: input.values,
  };
}
