import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { idsOf, recordsOf } from '../../platform/database/statements.ts';
import { endWith } from '../../platform/tracing/heldSpans.ts';
import type { NewEvent } from '../../records/events/newEvent.ts';
import { beginSpans } from './beginSpans.ts';
import { storeParts } from './storeParts.ts';

/**
 * Stores events that wait for the confirmations of their blocks, in the caller's transaction. An event that
 * is already waiting, or that a reorg withdrew, waits with its new block, body and record: a reorg may have put another
 * agreement at the address. A released one stays unchanged.
 */
export async function storeEvents(transaction: Queryable, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await storeParts(
    transaction,
    events.flatMap(({ parts }) => (parts ? [parts.notification, parts.variables] : [])),
  );
  const spans = await beginSpans(transaction, events, {
    name: 'write event',
    attributesOf: ({ id, type }) => ({ 'agreements.event.id': id, 'agreements.event.type': type }),
  });
  const rows = events.map((event) => ({
    id: event.id,
    principal_id: event.principalId,
    record_id: event.recordId,
    type: event.type,
    body: event.body,
    chain_id: event.chainId,
    block_number: event.blockNumber === null ? null : String(event.blockNumber),
    tx_hash: event.txHash,
    block_order: event.blockOrder,
    trace_parent: spans.get(event.id)?.traceParent ?? null,
    notification_part_id: event.parts?.notification.id ?? null,
    variables_part_id: event.parts?.variables.id ?? null,
  }));
  const stored = await idsOf(
    transaction,
    sql`
    insert into service.events as event (id, principal_id, record_id, type, body, state, chain_id, block_number, tx_hash,
      block_order, trace_parent, notification_part_id, variables_part_id)
    select id, principal_id, record_id, type, body, 'pending', chain_id, block_number, tx_hash, block_order, trace_parent,
      notification_part_id, variables_part_id
    from ${recordsOf(rows)} as shown(id text, principal_id text, record_id text, type text, body text, chain_id int,
      block_number bigint, tx_hash text, block_order int, trace_parent text, notification_part_id text, variables_part_id text)
    on conflict (id) do update set state = 'pending', record_id = excluded.record_id, body = excluded.body, block_number = excluded.block_number,
      tx_hash = excluded.tx_hash, block_order = excluded.block_order, trace_parent = excluded.trace_parent,
      notification_part_id = excluded.notification_part_id, variables_part_id = excluded.variables_part_id
    where event.state <> 'released'
    returning event.id`,
  );
  for (const id of stored) {
    const span = spans.get(id);
    if (span) endWith(transaction, span);
  }
}
