import { and, eq, sql } from 'drizzle-orm';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { principals } from '../../platform/database/tables/access.ts';
import {
  principalQuotas,
  type usageDays,
  type usageTotals,
} from '../../platform/database/tables/principalQuotas.ts';
import { stateLists } from '../../platform/database/tables/transactions.ts';
import { AdministrationError } from '../principals/administrationError.ts';
import { getPrincipal } from '../principals/principals.ts';

/** A principal's default quotas; days are UTC days. */
export const defaultQuotas = {
  /** Transactions accepted and not mined. */
  openTransactions: 5_000,
  /** With test events and redeliveries. */
  eventsPerDay: 500_000,
  /** Bytes of events; what many recipients share counts about once. */
  eventBytesPerDay: 2 * 1024 ** 3,
  mailsPerDay: 2_000,
  /** As estimated, and used by failed attempts; the operator pays. */
  gasPerDay: 50_000_000_000,
  /** Bytes of answers kept for Idempotency-Keys, links and sessions: each for about a day. */
  answerBytesPerDay: 5 * 1024 ** 3,
  /** Bytes of documents, values, rules, payloads and webhooks, kept permanently, and of evidence proofs while they are kept. */
  storedBytes: 20 * 1024 ** 3,
  adoptedAgreements: 100_000,
} as const;

export type Quota = keyof typeof defaultQuotas;
export type Quotas = Readonly<Record<Quota, number>>;

export const quotaNames = [
  'openTransactions',
  'eventsPerDay',
  'eventBytesPerDay',
  'mailsPerDay',
  'gasPerDay',
  'answerBytesPerDay',
  'storedBytes',
  'adoptedAgreements',
] as const satisfies readonly Quota[];

export type QuotaState = { quota: Quota; used: number; limit: number; isDefault: boolean };

type Row = RowOf<typeof usageDays, 'events' | 'event_bytes' | 'mails' | 'gas' | 'answer_bytes'> &
  RowOf<typeof usageTotals, 'stored_bytes'> &
  RowAs<typeof usageTotals, { adopted: 'adopted_agreements' }> & {
    open: number;
    set: Record<string, number>;
  };

/** Reads a principal's usage; open transactions are counted only as far as it matters. */
const findUse = (principalId: string) => sql`
  with own as (
    select coalesce(json_object_agg(quota, value), '{}') as set from service.principal_quotas where principal_id = ${principalId})
  select own.set, (select count(*)::int from (
      select 1 from service.transactions where principal_id = ${principalId} and state in (${stateLists.open})
      limit coalesce((own.set->>'openTransactions')::bigint, ${defaultQuotas.openTransactions}::bigint)) as open) as open,
    coalesce(today.events, 0) as events, coalesce(today.event_bytes, 0) as event_bytes, coalesce(today.mails, 0) as mails, coalesce(today.gas, 0) as gas,
    coalesce(today.answer_bytes, 0) as answer_bytes,
    coalesce(total.stored_bytes, 0) as stored_bytes, coalesce(total.adopted_agreements, 0) as adopted
  from own
  left join service.usage_days today on today.principal_id = ${principalId} and today.day = (now() at time zone 'utc')::date
  left join service.usage_totals total on total.principal_id = ${principalId}`;

export async function readQuotas(database: Queryable, principalId: string): Promise<QuotaState[]> {
  const { rows } = await database.execute<Row>(findUse(principalId));
  const [row] = rows;
  if (!row) return [];
  const used: Quotas = {
    openTransactions: row.open,
    eventsPerDay: Number(row.events),
    eventBytesPerDay: Number(row.event_bytes),
    mailsPerDay: Number(row.mails),
    gasPerDay: Number(row.gas),
    answerBytesPerDay: Number(row.answer_bytes),
    storedBytes: Number(row.stored_bytes),
    adoptedAgreements: row.adopted,
  };
  return quotaNames.map((quota) => ({
    quota,
    used: used[quota],
    limit: row.set[quota] ?? defaultQuotas[quota],
    isDefault: row.set[quota] === undefined,
  }));
}

/** Sets a principal's quota, or restores the default. */
export async function setQuota(
  database: Database,
  { principal: name, quota, value }: { principal: string; quota: Quota; value: number | null },
): Promise<{ principalName: string; quota: Quota; limit: number }> {
  const principal = await getPrincipal(database, name);
  const ofPrincipal = and(eq(principalQuotas.principalId, principal.id), eq(principalQuotas.quota, quota));
  if (value === null) await database.delete(principalQuotas).where(ofPrincipal);
  else {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new AdministrationError('A quota must be a whole number from 0.');
    await database
      .insert(principalQuotas)
      .values({ principalId: principal.id, quota, value })
      .onConflictDoUpdate({ target: [principalQuotas.principalId, principalQuotas.quota], set: { value } });
  }
  return { principalName: principal.name, quota, limit: value ?? defaultQuotas[quota] };
}

/** The usage and quotas of all principals, or of one. */
export async function listQuotas(
  database: Database,
  name?: string,
): Promise<(QuotaState & { principalName: string })[]> {
  const only = name === undefined ? undefined : await getPrincipal(database, name);
  const all = await database
    .select({ id: principals.id, name: principals.name })
    .from(principals)
    .where(only && eq(principals.id, only.id))
    .orderBy(sql`created_at, id`);
  const listed: (QuotaState & { principalName: string })[] = [];
  for (const principal of all) {
    const states = await readQuotas(database, principal.id);
    listed.push(...states.map((state) => ({ principalName: principal.name, ...state })));
  }
  return listed;
}
