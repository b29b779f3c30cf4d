import type pg from 'pg';
import type { Hex } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import { createId } from '../../platform/database/ids.ts';
import { notifySoon } from '../../platform/database/notifySoon.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { currentTraceParent, traceStep } from '../../platform/tracing/tracing.ts';
import type { NewTransaction } from './storeTransaction.ts';

/** What the history of a record shows of an input that was submitted. */
export type NewInput = {
  readonly recordId: string;
  readonly inputId: string;
  readonly principalId: string;
  readonly payload: Hex;
  readonly values: Record<string, unknown>;
};

type Submission = {
  /** What the transaction is called if it is new. */
  transactionId: string;
  transaction: Omit<NewTransaction, 'kind' | 'principalId'>;
  input: NewInput;
};
type Stored = { id: string; transactionId: string };

const statement = `
  with stored as (
    insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash,
      deadline, call_data, gas_estimate, request_id, trace_parent, principal_id, gas_kind, admission)
    values ($1, $2, 'input', $3, $4, $5, $6, $7, $8, $9, $10, $17, $18, $14, $19, $20)
    on conflict (chain_id, permit_digest, signer) do nothing
    returning id),
  shown as (
    insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, user_id, transaction_id,
      signer, payload, "values")
    select $11, $12, $2, $3, $13, 'PENDING', $14, id, $4, $15, $16 from stored
    returning id)
  select id from shown`;

/**
 * Stores an input with its transaction in one statement, which is all or nothing and one round trip, and announces it to the
 * outbox after it. Returns undefined, and stores nothing, where the same permit has a transaction already.
 *
 * @throws pg.DatabaseError for the constraint `transactions_open_permit`, where another permit holds the nonce.
 */
export function storeNewInput(pool: pg.Pool, submission: Submission): Promise<Stored | undefined> {
  const attributes = { 'agreements.chain.id': submission.transaction.chainId };
  return traceStep({ name: 'store transaction', attributes }, () => store(pool, submission));
}

async function store(
  pool: pg.Pool,
  { transactionId, transaction, input }: Submission,
): Promise<Stored | undefined> {
  const [stored] = await runPrepared<{ id: string }>(pool, statement, [
    transactionId,
    transaction.chainId,
    transaction.contract,
    transaction.signer,
    String(transaction.permitNonce),
    transaction.permitDigest,
    transaction.contentHash,
    String(transaction.deadline),
    transaction.callData,
    transaction.gasEstimate?.toString() ?? null,
    createId('inp'),
    input.recordId,
    input.inputId,
    input.principalId,
    input.payload,
    JSON.stringify(input.values),
    transaction.requestId,
    currentTraceParent(),
    transaction.gasKind,
    transaction.admission && JSON.stringify(transaction.admission),
  ]);
  if (!stored) return undefined;
  notifySoon(pool, channels.outbox, [String(transaction.chainId)]);
  return { id: stored.id, transactionId };
}
