import { type SQL, sql } from 'drizzle-orm';
import { defaultQuotas } from './quotas.ts';

/** The columns that count the use of a quota: a principal's in `usage_days`, and a record's part of it in `record_usage_days`. */
const columnsOf = {
  eventsPerDay: { ofPrincipal: 'events', ofRecord: 'events' },
  eventBytesPerDay: { ofPrincipal: 'event_bytes', ofRecord: 'event_bytes' },
  mailsPerDay: { ofPrincipal: 'mails', ofRecord: 'mails' },
  gasPerDay: { ofPrincipal: 'gas', ofRecord: 'guest_gas' },
} as const;

/** The quotas of which one record may use only a share. */
export type DailyQuota = keyof typeof columnsOf;

export const usedToday = (quota: DailyQuota, principal: SQL) => sql`
  coalesce((select ${sql.raw(columnsOf[quota].ofPrincipal)} from service.usage_days
    where principal_id = ${principal} and day = (now() at time zone 'utc')::date), 0)`;

/** What is left to a principal of a quota today; zero or less if nothing is. */
export const leftToday = (quota: DailyQuota, principal: SQL) => sql`
  coalesce((select value from service.principal_quotas where principal_id = ${principal} and quota = ${quota}),
    ${defaultQuotas[quota]}) - ${usedToday(quota, principal)}`;

/** What a record has used of a quota today; of gas, what its guests have. */
export const usedByRecord = (quota: DailyQuota, record: SQL) => sql`
  coalesce((select ${sql.raw(columnsOf[quota].ofRecord)} from service.record_usage_days
    where record_id = ${record} and day = (now() at time zone 'utc')::date), 0)`;
