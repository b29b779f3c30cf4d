import { and, eq, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Database } from '../database/database.ts';
import { inputs } from '../database/tables/inputs.ts';
import { records } from '../database/tables/records.ts';
import { type TransactionState, transactions } from '../database/tables/transactions.ts';

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
  { recordId, ...call }: PermitCall & { recordId: string },
): Promise<KnownPermit | undefined> {
  const [known] = await database
    .select({ id: inputs.id, transaction: transactionFacts })
    .from(transactions)
    .innerJoin(inputs, eq(inputs.transactionId, transactions.id))
    .where(and(eq(inputs.recordId, recordId), sameCall(call)));
  return known;
}

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
