import type pg from 'pg';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { events } from '../../platform/database/tables/events.ts';
import { joinedParts, wholeBody } from '../../records/events/eventParts.ts';
import type { DueDelivery } from './dueDeliveries.ts';

/** `body` are the bytes to sign and send; deliveries of one event share them. */
export type DeliveryWithBody = DueDelivery & { readonly body: Uint8Array };

/** What one pass reads of bodies: they are all in memory at once. */
export const mostBytes = 16 * 1024 * 1024;

const bodiesStatement = `
  select event.id, ${wholeBody} as body from service.events event ${joinedParts} where event.id = any($1::text[])`;

type BodyRow = RowAs<typeof events, { id: 'id' }> & { body: string };

/** The first deliveries whose bodies one pass can read together, at least one. An event counts once. */
export function takeReadable<One extends { readonly delivery: Pick<DueDelivery, 'eventId' | 'bodyBytes'> }>(
  chosen: readonly One[],
): readonly One[] {
  const counted = new Set<string>();
  let sum = 0;
  const end = chosen.findIndex(({ delivery: { eventId, bodyBytes } }, at) => {
    if (!counted.has(eventId)) sum += bodyBytes;
    counted.add(eventId);
    return at > 0 && sum > mostBytes;
  });
  return end === -1 ? chosen : chosen.slice(0, end);
}

/** The bodies of events that are still stored, as UTF-8. */
export async function readBodies(
  pool: pg.Pool,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (eventIds.length === 0) return new Map();
  const rows = await runPrepared<BodyRow>(pool, bodiesStatement, [[...new Set(eventIds)]]);
  return new Map(rows.map(({ id, body }) => [id, Buffer.from(body)]));
}
