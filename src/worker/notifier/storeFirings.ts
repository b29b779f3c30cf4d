import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf, recordsOf } from '../../platform/database/statements.ts';
import type { ruleCounts } from '../../platform/database/tables/rules.ts';
import { endWith } from '../../platform/tracing/heldSpans.ts';
import type { NewFiring } from '../../records/rules/buildFirings.ts';
import { beginSpans } from '../publisher/beginSpans.ts';
import type { Cause } from '../publisher/causeTraces.ts';
import type { DailyAllowance } from './dailyAllowance.ts';
import { mailQuotaUsedUp, queueMails } from './queueMails.ts';
import { writeMailText } from './writeMailText.ts';

const noAddress = 'The recipient has no e-mail address.';
const strangeAddress = 'The address does not belong to a participant or observer.';

/** The transaction that caused the firings, and its block; null for rules of time, which fire at once. */
export type FiringCause = Cause & {
  readonly blockNumber: bigint | null;
  /** Shared by all firings of one transaction. */
  readonly mailAllowance: DailyAllowance;
};

/**
 * Stores new firings of one record within their rules' limits, with their mails. Firings caused by a block
 * wait for its confirmations; mails of the others are sent after the commit. A firing that a reorg withdrew
 * comes back with its new block; a released one stays unchanged.
 *
 * @returns the firings that stand now because of this call: those whose events are to be stored.
 */
export async function storeFirings(
  transaction: Queryable,
  firings: readonly NewFiring[],
  cause: FiringCause,
): Promise<NewFiring[]> {
  const { chainId, blockNumber } = cause;
  const { allowed, known } = await withoutExcess(transaction, firings);
  if (allowed.length === 0) return [];
  const isReleased = blockNumber === null;
  const rows = allowed.map((firing) => ({
    id: firing.id,
    record_id: firing.recordId,
    principal_id: firing.principalId,
    rule_id: firing.ruleId,
    recipient: firing.recipient.name,
    occasion: firing.occasion,
    trigger_type: firing.triggerType,
    channel: firing.channel,
  }));
  const stored = await idsOf(
    transaction,
    sql`
    insert into service.rule_firings as firing (id, record_id, principal_id, rule_id, recipient, occasion, trigger_type, channel, state,
      chain_id, block_number)
    select id, record_id, principal_id, rule_id, recipient, occasion, trigger_type, channel, ${isReleased ? 'released' : 'pending'},
      ${chainId}::int, ${blockNumber === null ? null : String(blockNumber)}::bigint
    from ${recordsOf(rows)} as shown(id text, record_id text, principal_id text, rule_id text, recipient text, occasion text,
      trigger_type text, channel text)
    on conflict (id) do update set state = excluded.state, block_number = excluded.block_number
    where firing.state <> 'released'
    returning firing.id`,
  );
  const ids = new Set(stored);
  const standing = allowed.filter(({ id }) => ids.has(id));
  await countFirings(
    transaction,
    standing.filter(({ id, maxOccurrences }) => maxOccurrences !== undefined && !known.has(id)),
  );
  await storeMails(transaction, standing, cause);
  return standing;
}

async function storeMails(
  transaction: Queryable,
  firings: readonly NewFiring[],
  { mailAllowance, ...cause }: FiringCause,
): Promise<void> {
  const isReleased = cause.blockNumber === null;
  const mails = firings.filter(({ channel }) => channel === 'email');
  if (mails.length === 0) return;
  const sendable = mails.filter(({ isParty }) => isParty);
  const allowed = new Set((await mailAllowance.take(sendable)).map(({ id }) => id));
  const { chainId, txHash } = cause;
  const sent = sendable.filter(({ id }) => allowed.has(id)).map(({ id }) => ({ id, chainId, txHash }));
  const spans = await beginSpans(transaction, sent, {
    name: 'write mail',
    attributesOf: ({ id }) => ({ 'agreements.firing.id': id }),
  });
  const rows = mails.map(({ id, recipient: { email = null }, isParty, notification }) => ({
    firing_id: id,
    address: email,
    subject: notification.subject,
    // The text of a mail that is never sent is not stored.
    body: allowed.has(id) ? writeMailText(notification) : '',
    status: !allowed.has(id) ? 'skipped' : isReleased ? 'due' : 'waiting',
    error: email === null ? noAddress : !isParty ? strangeAddress : allowed.has(id) ? null : mailQuotaUsedUp,
    trace_parent: spans.get(id)?.traceParent ?? null,
  }));
  const written = await idsOf(
    transaction,
    sql`
    insert into service.mails as mail (firing_id, address, subject, body, status, error, trace_parent)
    select firing_id, address, subject, body, status, error, trace_parent
    from ${recordsOf(rows)} as shown(firing_id text, address text, subject text, body text, status text, error text,
      trace_parent text)
    on conflict (firing_id) do update set address = excluded.address, subject = excluded.subject, body = excluded.body,
      status = excluded.status, error = excluded.error, trace_parent = excluded.trace_parent, updated_at = now()
    where mail.status in ('waiting', 'withdrawn', 'skipped')
    returning mail.firing_id as id`,
  );
  for (const id of written) {
    const span = spans.get(id);
    if (span) endWith(transaction, span);
  }
  if (!isReleased) return;
  const due = new Set(rows.filter(({ status }) => status === 'due').map(({ firing_id: id }) => id));
  await queueMails(
    transaction,
    mails
      .filter(({ id }) => due.has(id))
      .map(({ id: firingId, principalId, recordId }) => ({ firingId, principalId, recordId })),
  );
}

/**
 * The firings within the limit of their rule for their recipient, and those of limited rules that are stored and
 * counted already. Firings withdrawn by a reorg do not count.
 */
async function withoutExcess(
  transaction: Queryable,
  firings: readonly NewFiring[],
): Promise<{ allowed: NewFiring[]; known: ReadonlySet<string> }> {
  const limited = firings.filter(({ maxOccurrences }) => maxOccurrences !== undefined);
  if (limited.length === 0) return { allowed: [...firings], known: new Set() };
  const stored = await idsOf(
    transaction,
    sql`
    select id from service.rule_firings
    where id = any(${arrayOf(limited.map(({ id }) => id))}::text[]) and state <> 'withdrawn'`,
  );
  const { rows } = await transaction.execute<RowOf<typeof ruleCounts, 'rule_id' | 'recipient' | 'count'>>(sql`
    select counted.rule_id, counted.recipient, counted.count
    from service.rule_counts counted join ${keysOf(limited)} using (record_id, rule_id, recipient)`);
  const known = new Set(stored);
  const keyOf = (ruleId: string, recipient: string) => JSON.stringify([ruleId, recipient]);
  const counts = new Map(rows.map((row) => [keyOf(row.rule_id, row.recipient), row.count]));
  const allowed = firings.filter(({ id, ruleId, recipient, maxOccurrences = Number.POSITIVE_INFINITY }) => {
    if (known.has(id)) return true;
    const key = keyOf(ruleId, recipient.name);
    const count = counts.get(key) ?? 0;
    if (count >= maxOccurrences) return false;
    counts.set(key, count + 1);
    return true;
  });
  return { allowed, known };
}

async function countFirings(transaction: Queryable, firings: readonly NewFiring[]): Promise<void> {
  if (firings.length === 0) return;
  await transaction.execute(sql`
    insert into service.rule_counts as counted (record_id, rule_id, recipient, count)
    select record_id, rule_id, recipient, count(*) from ${keysOf(firings)}
    group by record_id, rule_id, recipient order by record_id, rule_id, recipient
    on conflict (record_id, rule_id, recipient) do update set count = counted.count + excluded.count`);
}

function keysOf(firings: readonly NewFiring[]): SQL {
  const keys = firings.map(({ recordId, ruleId, recipient }) => ({
    record_id: recordId,
    rule_id: ruleId,
    recipient: recipient.name,
  }));
  return sql`${recordsOf(keys)} as fired(record_id text, rule_id text, recipient text)`;
}
