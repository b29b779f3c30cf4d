import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { inGroups } from '../../platform/database/inGroups.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { records } from '../../platform/database/tables/records.ts';
import { type TransactionState, transactions } from '../../platform/database/tables/transactions.ts';

/**
 * A permit with its signature, as the contract call that submits it: equal calls to one contract are one
 * permit. The call lacks only the nonce, and for another nonce the same signature would be invalid.
 */
export type PermitCall = { readonly chainId: number; readonly contract: Address; readonly callData: Hex };

type AnyFactoryCall = Omit<PermitCall, 'contract'> & Partial<Pick<PermitCall, 'contract'>>;

/** The result of the same principal's earlier request with the same permit. */
export type KnownPermit = {
  /** Id of the record, or of the input. */
  readonly id: string;
  /** Whether it has failed for this principal, even if somebody else has sent the permit again. */
  readonly hasFailed: boolean;
  readonly transaction: { readonly id: string; readonly state: TransactionState; readonly nonce: bigint };
};

/** Nonce and digest of the permit that was sent by this call, whoever sent it, if its transaction is in one of the states. */
export async function findSentPermit(
  database: Database,
  call: PermitCall,
  states: readonly TransactionState[],
): Promise<{ nonce: bigint; digest: Hex } | undefined> {
  const [sent] = await database
    .select({ nonce: transactionFacts.nonce, digest: transactions.permitDigest })
    .from(transactions)
    .where(and(sameCall(call), inArray(transactions.state, [...states])))
    .limit(1);
  return sent;
}

/** The record that this principal deployed with the permit. Without its contract, that may be any factory of the chain. */
export async function findDeployment(
  database: Database,
  { principalId, ...call }: AnyFactoryCall & { principalId: string },
): Promise<KnownPermit | undefined> {
  const [known] = await database
    .select({
      id: records.id,
      hasFailed: sql<boolean>`${transactions.state} = 'failed' or ${records.error} is not null`,
      transaction: transactionFacts,
    })
    .from(transactions)
    .innerJoin(records, eq(records.deployTransactionId, transactions.id))
    .where(and(eq(records.principalId, principalId), sameCall(call)));
  return known;
}

/** The input submitted to the record with the permit; `principalId` is the asker. */
export async function findSubmission(
  database: Database,
  {
    recordId,
    principalId,
    chainId,
    contract,
    callData,
  }: PermitCall & { recordId: string; principalId: string },
): Promise<KnownPermit | undefined> {
  const known = await readSubmission(database.$client, {
    recordId,
    principalId,
    chainId,
    contract,
    callData,
  });
  if (!known) return undefined;
  const { id, status, transaction_id, state, nonce } = known;
  return {
    id,
    hasFailed: status === 'FAILED',
    transaction: { id: transaction_id, state, nonce: BigInt(nonce) },
  };
}

type SubmissionRow = { ordinal: number } & RowOf<typeof inputs, 'id' | 'status'> &
  RowAs<typeof transactions, { transaction_id: 'id'; state: 'state'; nonce: 'permit_nonce' }>;

/** Concurrent look-ups of one principal's permits share a statement. */
const readSubmission = inGroups<
  PermitCall & { recordId: string; principalId: string },
  SubmissionRow | undefined
>(
  async (pool, calls) => {
    const asked = calls.map(({ recordId, chainId, contract, callData }, ordinal) => ({
      ordinal,
      record_id: recordId,
      chain_id: chainId,
      contract,
      call_data: callData,
    }));
    const rows = await runPrepared<SubmissionRow>(pool, submissionStatement, [JSON.stringify(asked)]);
    const found = new Map(rows.map((row) => [row.ordinal, row]));
    return calls.map((_, ordinal) => found.get(ordinal));
  },
  ({ principalId }) => principalId,
);

const submissionStatement = `
  select asked.ordinal, known.*
  from json_to_recordset($1::json) as asked(ordinal int, record_id text, chain_id int, contract text, call_data text)
  cross join lateral (
    select input.id, input.status, sent.id as transaction_id, sent.state, sent.permit_nonce as nonce
    from service.transactions sent join service.inputs input on input.transaction_id = sent.id
    where input.record_id = asked.record_id and sent.chain_id = asked.chain_id and sent.contract = asked.contract
      and sent.call_data = asked.call_data limit 1) as known`;

const transactionFacts = {
  id: transactions.id,
  state: transactions.state,
  nonce: sql<bigint>`${transactions.permitNonce}`.mapWith(transactions.permitNonce),
};

function sameCall({ chainId, contract, callData }: AnyFactoryCall) {
  return and(
    eq(transactions.callData, callData),
    eq(transactions.chainId, chainId),
    contract && eq(transactions.contract, contract),
  );
}
