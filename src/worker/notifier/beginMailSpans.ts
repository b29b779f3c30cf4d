import type { Queryable } from '../../platform/database/database.ts';
import { beginSpan, isTracing, type OpenSpan } from '../../platform/tracing/tracing.ts';
import { type Cause, readCauseTraces } from '../publisher/causeTraces.ts';

/** Begins the spans of written mails, by their firings, as `beginEventSpans` does for events. */
export async function beginMailSpans(
  transaction: Queryable,
  firingIds: readonly string[],
  cause: Cause,
): Promise<ReadonlyMap<string, OpenSpan>> {
  if (!isTracing() || firingIds.length === 0) return new Map();
  const { chainId, txHash } = cause;
  const { traceParentOf } = await readCauseTraces(transaction, [cause]);
  return new Map(
    firingIds.flatMap((id) => {
      const span = beginSpan({
        name: 'write mail',
        traceParent: traceParentOf(cause),
        attributes: {
          'agreements.chain.id': chainId,
          'agreements.firing.id': id,
          ...(txHash !== null && { 'agreements.transaction.hash': txHash }),
        },
      });
      return span ? [[id, span] as const] : [];
    }),
  );
}
