import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { mails, ruleFirings } from '../../platform/database/tables/rules.ts';
import { ownerKeyOf } from '../../platform/database/tables/transactions.ts';
import { walkOwners } from '../../platform/database/walkOwners.ts';
import { lockFreeFeeds } from '../../records/events/lockFeeds.ts';
import { queueMails } from './queueMails.ts';

const mailsAtOnce = 1_000;
/** The most principals with waiting mails, confirmed or not, that a batch reads. */
const principalsAtOnce = 200;

type Due = { chainId: number; through: bigint };

export type MailRelease = {
  readonly released: number;
  /** Whether principals of this batch may have more mails to release, or others had locked their feeds. */
  readonly isMore: boolean;
  /** The principal after whom the next batch of this round begins; undefined at the round's end. */
  readonly next: string | undefined;
};

/**
 * Releases a batch of a chain's waiting mails in blocks up to `through`: of each principal the first ones, in turns over
 * principals. Nothing withdraws them any more, and they are sent after the commit. Call it after the release of events,
 * in the same transaction. Whoever releases to a principal counts that, so principals whose feeds others have locked are
 * left for a later batch.
 *
 * @param options.after the principal after whom this batch begins; undefined for the beginning of a round.
 */
export async function releaseMails(
  transaction: Queryable,
  options: Due & { after?: string | undefined },
): Promise<MailRelease> {
  const { rows: looked } = await transaction.execute<TurnRow>(findTurns(options));
  const due = looked.flatMap((turn) => (turn.is_due ? turn.owner : []));
  const known = due.filter((id) => id !== unknownOwner);
  const free = known.length > 0 ? await lockFreeFeeds(transaction, known) : [];
  const principals = due.filter((id) => id === unknownOwner || free.includes(id));
  const { released, isMore } = await releaseFirstMails(transaction, { ...options, principals });
  const last = looked.length === principalsAtOnce ? looked.at(-1) : undefined;
  return { released, isMore: isMore || principals.length < due.length, next: last?.owner };
}

/** Releases the first waiting mails of these principals, whose feeds are locked. */
export async function releaseFirstMails(
  transaction: Queryable,
  { chainId, through, principals }: Due & { principals: readonly string[] },
): Promise<Omit<MailRelease, 'next'>> {
  if (principals.length === 0) return { released: 0, isMore: false };
  const share = Math.ceil(mailsAtOnce / principals.length);
  // A fold may withdraw a firing at the same time, so the state is checked again, in a form that matches no index.
  const { rows } = await transaction.execute<ReleasedRow>(sql`
    with chosen as materialized (
      select due.id, turn.owner from unnest(${arrayOf(principals)}::text[]) as turn(owner) cross join lateral (
        select id from service.rule_firings
        where ${isWaiting(chainId)} and ${owner} = turn.owner and block_number <= ${through}
        order by block_number limit ${share}) as due
    ), released as (
      update service.rule_firings firing set state = 'released'
      from chosen where firing.id = chosen.id and firing.state || '' = 'pending'
      returning firing.id, firing.record_id, chosen.owner
    ), due as (
      update service.mails mail set status = 'due', updated_at = now()
      from released join service.records record on record.id = released.record_id
      where mail.firing_id = released.id and mail.status = 'waiting'
      returning mail.firing_id, record.principal_id
    )
    select released.owner, released.record_id, due.firing_id, due.principal_id
    from released left join due on due.firing_id = released.id`);
  await queueMails(
    transaction,
    rows.flatMap(({ firing_id: firingId, principal_id: principalId, record_id: recordId }) =>
      firingId === null || principalId === null ? [] : { firingId, principalId, recordId },
    ),
  );
  const counts = Map.groupBy(rows, (row) => row.owner);
  const isMore = principals.some((id) => (counts.get(id)?.length ?? 0) >= share);
  return { released: rows.length, isMore };
}

type TurnRow = { owner: string; is_due: boolean };
/** A released firing, with its mail if that is due now. */
type ReleasedRow = { owner: string; principal_id: string | null } & RowOf<typeof ruleFirings, 'record_id'> & {
    [Key in keyof RowOf<typeof mails, 'firing_id'>]: string | null;
  };

/** Of firings from before their principal was stored. */
const unknownOwner = '';
const owner = sql.raw(ownerKeyOf('rule_firings.'));

function isWaiting(chainId: number): SQL {
  return sql`chain_id = ${chainId} and state = 'pending' and channel = 'email'`;
}

/** Principals with waiting mails, each found by one step in the index, however many mails it has. */
function findTurns({ chainId, through, after }: Due & { after?: string | undefined }): SQL {
  const firstOf = (position: SQL) => sql`
    select ${owner} as owner, block_number from service.rule_firings
    where ${isWaiting(chainId)} and ${position} order by ${owner}, block_number limit 1`;
  return sql`
    ${walkOwners({ owner, firstOf, after, limit: principalsAtOnce })}
    select owner, block_number <= ${through} as is_due from round order by place`;
}
