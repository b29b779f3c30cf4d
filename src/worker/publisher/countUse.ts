import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { events } from '../../platform/database/tables/events.ts';
import { addUsage } from '../../records/quotas/usage.ts';

export type CountedEvent = RowOf<
  typeof events,
  'principal_id' | 'body' | 'notification_part_id' | 'variables_part_id'
>;

/** Counts released events and their UTF-8 bytes for their principals, each shared part of them once. */
export async function countUse(transaction: Queryable, released: readonly CountedEvent[]): Promise<void> {
  const owners = new Map<string, string>();
  for (const { principal_id: principalId, notification_part_id: one, variables_part_id: other } of released)
    for (const id of [one, other]) if (id !== null) owners.set(id, principalId);
  const ofBodies = released.map(({ principal_id: principalId, body }) => ({
    principalId,
    events: 1,
    eventBytes: Buffer.byteLength(body),
  }));
  const sizes = await measureParts(transaction, [...owners.keys()]);
  const ofParts = sizes.map(({ id, bytes }) => ({ principalId: owners.get(id) ?? '', eventBytes: bytes }));
  await addUsage(transaction, [...ofBodies, ...ofParts]);
}

async function measureParts(
  transaction: Queryable,
  ids: readonly string[],
): Promise<readonly { id: string; bytes: number }[]> {
  if (ids.length === 0) return [];
  const { rows } = await transaction.execute<{ id: string; bytes: number }>(sql`
    select id, octet_length(text) as bytes from service.event_parts where id = any(${arrayOf(ids)}::text[])`);
  return rows;
}
