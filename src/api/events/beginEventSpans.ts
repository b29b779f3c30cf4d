import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import { arrayOf } from '../database/statements.ts';
import { beginSpan, isTracing, type OpenSpan } from '../tracing/tracing.ts';
import type { NewEvent } from './newEvent.ts';

/**
 * Begins the spans of events that are written, by their ids: each in the trace of the transaction that caused it, where that was
 * submitted here, and in a trace of its own otherwise. Of processes that do not trace there are none.
 */
export async function beginEventSpans(
  transaction: Queryable,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<string, OpenSpan>> {
  if (!isTracing()) return new Map();
  const traceParents = await readTraceParents(transaction, events);
  return new Map(
    events.flatMap(({ id, type, chainId, txHash }) => {
      const span = beginSpan({
        name: 'write event',
        traceParent: txHash === null ? null : traceParents.get(keyOf(chainId, txHash)),
        attributes: {
          'agreements.chain.id': chainId,
          'agreements.event.id': id,
          'agreements.event.type': type,
          ...(txHash !== null && { 'agreements.transaction.hash': txHash }),
        },
      });
      return span ? [[id, span] as const] : [];
    }),
  );
}

async function readTraceParents(
  transaction: Queryable,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = events.flatMap(({ txHash }) => (txHash === null ? [] : [txHash]));
  if (hashes.length === 0) return new Map();
  const { rows } = await transaction.execute<{ chain_id: number; tx_hash: string; trace_parent: string }>(sql`
    select chain_id, tx_hash, trace_parent from service.transactions
    where tx_hash = any(${arrayOf([...new Set(hashes)])}::text[]) and trace_parent is not null`);
  return new Map(rows.map((row) => [keyOf(row.chain_id, row.tx_hash), row.trace_parent]));
}

function keyOf(chainId: number, txHash: string): string {
  return `${chainId}:${txHash}`;
}
