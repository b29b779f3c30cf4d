import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { transactions } from '../../platform/database/tables/transactions.ts';

/** The transaction that causes an event; null if none does. */
export type Cause = { readonly chainId: number; readonly txHash: Hex | null };

export type CauseTraces = {
  /** Null without tracing, or if the cause was not submitted here. */
  traceParentOf(cause: Cause): string | null;
};

type TraceRow = RowOf<typeof transactions, 'chain_id'> &
  NotNull<RowOf<typeof transactions, 'tx_hash' | 'trace_parent'>>;

/** The trace positions of transactions submitted here. */
export async function readCauseTraces(
  transaction: Queryable,
  causes: readonly Cause[],
): Promise<CauseTraces> {
  const hashes = causes.flatMap(({ txHash }) => (txHash === null ? [] : [txHash]));
  if (hashes.length === 0) return { traceParentOf: () => null };
  const { rows } = await transaction.execute<TraceRow>(sql`
    select chain_id, tx_hash, trace_parent from service.transactions
    where tx_hash = any(${arrayOf([...new Set(hashes)])}::text[]) and trace_parent is not null`);
  const traceParents = new Map(rows.map((row) => [keyOf(row.chain_id, row.tx_hash), row.trace_parent]));
  return {
    traceParentOf: ({ chainId, txHash }) =>
      txHash === null ? null : (traceParents.get(keyOf(chainId, txHash)) ?? null),
  };
}

function keyOf(chainId: number, txHash: string): string {
  return `${chainId}:${txHash}`;
}
