import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf, recordsOf } from '../../platform/database/statements.ts';
import type { EventPart } from '../../records/events/eventParts.ts';

/** Less than the shortest retention, which is a day: a part used since then is not removed before it is referred to. */
const renewal = sql`interval '12 hours'`;

/**
 * Stores shared parts that are not stored yet, in the order of the ids, to avoid deadlocks. The time of use of a stored
 * part is renewed only once in a while: a write for each use would make all transactions that announce the same text wait
 * for each other, and folds fail.
 */
export async function storeParts(transaction: Queryable, parts: readonly EventPart[]): Promise<void> {
  const texts = new Map(parts.map(({ id, text }) => [id, text]));
  if (texts.size === 0) return;
  // The sum keeps the planner from the index over `used_at`, so that each part is found by its id.
  await transaction.execute(sql`
    update service.event_parts set used_at = now() where id in (
      select id from service.event_parts
      where id = any(${arrayOf([...texts.keys()])}::text[]) and used_at + ${renewal} <= now()
      order by id for no key update skip locked)`);
  // A part that others renew or remove at this moment is waited for.
  await transaction.execute(sql`
    insert into service.event_parts (id, text)
    select id, text from ${recordsOf([...texts].map(([id, text]) => ({ id, text })))} as given(id text, text text)
    where not exists (
      select 1 from service.event_parts known where known.id = given.id and known.used_at + ${renewal} > now())
    order by id on conflict do nothing`);
}
