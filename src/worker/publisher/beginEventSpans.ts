import type { Queryable } from '../../platform/database/database.ts';
import { beginSpan, isTracing, type OpenSpan } from '../../platform/tracing/tracing.ts';
import type { NewEvent } from '../../records/events/newEvent.ts';
import { readCauseTraces } from './causeTraces.ts';

/**
 * Begins the spans of written events, by their ids: each in the trace of the transaction that caused it, if
 * that was submitted here, otherwise in a new trace. Without tracing there are none.
 */
export async function beginEventSpans(
  transaction: Queryable,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<string, OpenSpan>> {
  if (!isTracing()) return new Map();
  const { traceParentOf } = await readCauseTraces(transaction, events);
  return new Map(
    events.flatMap(({ id, type, chainId, txHash }) => {
      const span = beginSpan({
        name: 'write event',
        traceParent: traceParentOf({ chainId, txHash }),
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
