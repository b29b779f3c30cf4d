import { and, eq, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { records } from '../../platform/database/tables/records.ts';
import { type TransactionState, transactions } from '../../platform/database/tables/transactions.ts';

/**
 * A permit with its signature, as the call of the contract that submits it: equal calls to one contract are one permit. Only
 * the nonce is not in it, and for another nonce the same signature would not be good.
 */
export type PermitCall = { readonly chainId: number; readonly contract: Address; readonly callData: Hex };

/** What the same principal has made with the same permit before. */
export type KnownPermit = {
  /** Of the record, or of the input. */
  readonly id: string;
  readonly transaction: { readonly id: string; readonly state: TransactionState; readonly nonce: bigint };
};

/** The record that this principal deployed with the permit. */
export async function findDeployment(
  database: Database,
  { principalId, ...call }: PermitCall & { principalId: string },
): Promise<KnownPermit | undefined> {
  const [known] = await database
    .select({ id: records.id, transaction: transactionFacts })
    .from(transactions)
    .innerJoin(records, eq(records.deployTransactionId, transactions.id))
    .where(and(eq(records.principalId, principalId), sameCall(call)));
  return known;
}

/** The input that was submitted to the record with the permit. */
export async function findSubmission(
  database: Database,
  { recordId, chainId, contract, callData }: PermitCall & { recordId: string },
): Promise<KnownPermit | undefined> {
  const values = [recordId, chainId, contract, callData];
  const [known] = await runPrepared<SubmissionRow>(database.$client, submissionStatement, values);
  if (!known) return undefined;
  const { id, transaction_id, state, nonce } = known;
  return { id, transaction: { id: transaction_id, state, nonce: BigInt(nonce) } };
}

type SubmissionRow = { id: string; transaction_id: string; state: TransactionState; nonce: string };

const submissionStatement = `
  select input.id, sent.id as transaction_id, sent.state, sent.permit_nonce as nonce
  from service.transactions sent join service.inputs input on input.transaction_id = sent.id
  where input.record_id = $1 and sent.chain_id = $2 and sent.contract = $3 and sent.call_data = $4`;

const transactionFacts = {
  id: transactions.id,
  state: transactions.state,
  nonce: sql<bigint>`${transactions.permitNonce}`.mapWith(transactions.permitNonce),
};

function sameCall({ chainId, contract, callData }: PermitCall) {
  return and(
    eq(transactions.callData, callData),
    eq(transactions.chainId, chainId),
    eq(transactions.contract, contract),
  );
}
