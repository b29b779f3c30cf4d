import { asc, inArray } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import { transactionAttempts, transactions } from '../../../platform/database/tables/transactions.ts';

/** Outbox transactions with all of their signed forms; oldest first. */
export async function readTransactions(database: Database, ids: string[]) {
  const [rows, attempts] = await Promise.all([
    database
      .select()
      .from(transactions)
      .where(inArray(transactions.id, ids))
      .orderBy(asc(transactions.createdAt)),
    database
      .select()
      .from(transactionAttempts)
      .where(inArray(transactionAttempts.transactionId, ids))
      .orderBy(asc(transactionAttempts.id)),
  ]);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    chainId: row.chainId,
    contract: row.contract,
    signer: row.signer,
    permitNonce: String(row.permitNonce),
    permitDigest: row.permitDigest,
    deadline: new Date(Number(row.deadline) * 1_000),
    state: row.state,
    failure: row.failure,
    wallet: row.wallet,
    walletNonce: row.walletNonce,
    txHash: row.txHash,
    gasEstimate: row.gasEstimate?.toString() ?? null,
    minedBlockNumber: row.minedBlockNumber?.toString() ?? null,
    requestId: row.requestId,
    traceId: row.traceParent?.split('-')[1] ?? null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    attempts: attempts
      .filter(({ transactionId }) => transactionId === row.id)
      .map((attempt) => ({
        txHash: attempt.txHash,
        wallet: attempt.wallet,
        nonce: attempt.walletNonce,
        gas: String(attempt.gas),
        maxFeePerGas: String(attempt.maxFeePerGas),
        maxPriorityFeePerGas: String(attempt.maxPriorityFeePerGas),
        signedAt: attempt.createdAt,
        acceptedAt: attempt.acceptedAt,
        objection: writeObjection(attempt),
      })),
  }));
}

function writeObjection({
  objection,
  objectionText,
}: Pick<typeof transactionAttempts.$inferSelect, 'objection' | 'objectionText'>): string | null {
  return objection && [objection, objectionText].filter(Boolean).join(': ');
}
