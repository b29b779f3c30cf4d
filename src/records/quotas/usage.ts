import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { recordsOf } from '../../platform/database/statements.ts';

/** Adds to the principals' usage of today, in the order of their ids, to avoid deadlocks. */
export async function addUsage(
  transaction: Queryable,
  used: readonly {
    principalId: string;
    events?: number;
    eventBytes?: number;
    mails?: number;
    gas?: bigint;
    answerBytes?: number;
  }[],
): Promise<void> {
  if (used.length === 0) return;
  const rows = used.map(
    ({ principalId, events = 0, eventBytes = 0, mails = 0, gas = 0n, answerBytes = 0 }) => ({
      principal_id: principalId,
      events,
      event_bytes: eventBytes,
      mails,
      gas: String(gas),
      answer_bytes: answerBytes,
    }),
  );
  await transaction.execute(sql`
    insert into service.usage_days as usage (principal_id, day, events, event_bytes, mails, gas, answer_bytes)
    select principal_id, (now() at time zone 'utc')::date, sum(events), sum(event_bytes), sum(mails), sum(gas), sum(answer_bytes)
    from ${recordsOf(rows)} as used(principal_id text, events bigint, event_bytes bigint, mails bigint, gas numeric, answer_bytes bigint)
    group by principal_id order by principal_id
    on conflict (principal_id, day) do update set events = usage.events + excluded.events,
      event_bytes = usage.event_bytes + excluded.event_bytes, mails = usage.mails + excluded.mails, gas = usage.gas + excluded.gas,
      answer_bytes = usage.answer_bytes + excluded.answer_bytes`);
}

/** Adds to the records' usage of today, in the order of their ids, to avoid deadlocks. */
export async function addRecordUsage(
  transaction: Queryable,
  used: readonly {
    recordId: string;
    events?: number;
    eventBytes?: number;
    mails?: number;
    guestGas?: bigint;
  }[],
): Promise<void> {
  if (used.length === 0) return;
  const rows = used.map(({ recordId, events = 0, eventBytes = 0, mails = 0, guestGas = 0n }) => ({
    record_id: recordId,
    events,
    event_bytes: eventBytes,
    mails,
    guest_gas: String(guestGas),
  }));
  await transaction.execute(sql`
    insert into service.record_usage_days as usage (record_id, day, events, event_bytes, mails, guest_gas)
    select record_id, (now() at time zone 'utc')::date, sum(events), sum(event_bytes), sum(mails), sum(guest_gas)
    from ${recordsOf(rows)} as used(record_id text, events bigint, event_bytes bigint, mails bigint, guest_gas numeric)
    group by record_id order by record_id
    on conflict (record_id, day) do update set events = usage.events + excluded.events,
      event_bytes = usage.event_bytes + excluded.event_bytes, mails = usage.mails + excluded.mails,
      guest_gas = usage.guest_gas + excluded.guest_gas`);
}

/** Adds to the principals' permanent storage, or takes from it. */
export async function addTotals(
  transaction: Queryable,
  stored: readonly { principalId: string; storedBytes?: number; adoptedAgreements?: number }[],
): Promise<void> {
  if (stored.length === 0) return;
  const rows = stored.map(({ principalId, storedBytes = 0, adoptedAgreements = 0 }) => ({
    principal_id: principalId,
    stored_bytes: storedBytes,
    adopted: adoptedAgreements,
  }));
  await transaction.execute(sql`
    insert into service.usage_totals as usage (principal_id, stored_bytes, adopted_agreements)
    select principal_id, sum(stored_bytes), sum(adopted)
    from ${recordsOf(rows)} as stored(principal_id text, stored_bytes bigint, adopted int)
    group by principal_id order by principal_id
    on conflict (principal_id) do update set stored_bytes = greatest(0, usage.stored_bytes + excluded.stored_bytes),
      adopted_agreements = usage.adopted_agreements + excluded.adopted_agreements`);
}
