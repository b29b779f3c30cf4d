import type { Queryable } from '../../platform/database/database.ts';
import { beginSpan, isTracing, type OpenSpan } from '../../platform/tracing/tracing.ts';
import { type Cause, readCauseTraces } from './causeTraces.ts';

/**
 * Begins the spans of written rows, by their ids: each in the trace of the transaction that caused it, if
 * that was submitted here, otherwise in a new trace. Without tracing there are none.
 */
export async function beginSpans<Item extends Cause & { readonly id: string }>(
  transaction: Queryable,
  items: readonly Item[],
  { name, attributesOf }: { name: string; attributesOf(item: Item): Record<string, string> },
): Promise<ReadonlyMap<string, OpenSpan>> {
  if (!isTracing()) return new Map();
  const { traceParentOf } = await readCauseTraces(transaction, items);
  return new Map(
    items.flatMap((item) => {
      const { id, chainId, txHash } = item;
      const span = beginSpan({
        name,
        traceParent: traceParentOf(item),
        attributes: {
          'agreements.chain.id': chainId,
          ...attributesOf(item),
          ...(txHash !== null && { 'agreements.transaction.hash': txHash }),
        },
      });
      return span ? [[id, span] as const] : [];
    }),
  );
}
