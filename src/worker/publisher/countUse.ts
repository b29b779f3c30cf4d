import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { events } from '../../platform/database/tables/events.ts';
import { addRecordUsage, addUsage } from '../../records/quotas/usage.ts';

export type CountedEvent = RowOf<
  typeof events,
  'principal_id' | 'record_id' | 'body' | 'notification_part_id' | 'variables_part_id'
>;

/** Counts released events and their UTF-8 bytes for their principals and records. A shared part counts once. */
export async function countUse(transaction: Queryable, released: readonly CountedEvent[]): Promise<void> {
  const owners = new Map<string, Owner>();
  for (const event of released)
    for (const id of [event.notification_part_id, event.variables_part_id])
      if (id !== null) owners.set(id, ownerOf(event));
  const ofBodies = released.map((event) => ({
    ...ownerOf(event),
    events: 1,
    eventBytes: Buffer.byteLength(event.body),
  }));
  const sizes = await measureParts(transaction, [...owners.keys()]);
  const ofParts = sizes.flatMap(({ id, bytes }) => {
    const owner = owners.get(id);
    return owner ? [{ ...owner, eventBytes: bytes }] : [];
  });
  const used = [...ofBodies, ...ofParts];
  await addUsage(transaction, used);
  await addRecordUsage(
    transaction,
    used.flatMap(({ recordId, ...use }) => (recordId === null ? [] : [{ recordId, ...use }])),
  );
}

type Owner = { readonly principalId: string; readonly recordId: string | null };

function ownerOf({ principal_id: principalId, record_id: recordId }: CountedEvent): Owner {
  return { principalId, recordId };
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
