import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inForceKey } from '../../platform/database/inForceKey.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { isReferenceLost } from '../../platform/database/isReferenceLost.ts';
import { records } from '../../platform/database/tables/records.ts';
import { type SigningLinkUseKind, signingLinks } from '../../platform/database/tables/signingLinks.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { NotFoundError, RefusedError } from '../../platform/errors/serviceError.ts';
import { type Page, selectNewest } from '../../platform/lists/selectNewest.ts';
import { notifyAccessChanged } from '../principals/accessChanged.ts';
import { requireActiveKey } from '../principals/requireActiveKey.ts';
import { createSecret, hashSecret } from '../sessions/secretText.ts';
import { type LinkRow, type LinkUse, linkColumns, usesOfLink } from './linkResource.ts';

export type NewLink = {
  readonly principalId: string;
  readonly recordId: string;
  readonly keyId: string;
  readonly may: 'read' | 'sign';
  readonly participant?: string | undefined;
  readonly note?: string | undefined;
  readonly expiresInSeconds: number;
  /** For a request that may be repeated: gives the same id and secret each time. */
  readonly derive?: Derive | undefined;
};

type OfRecord = { readonly principalId: string; readonly recordId: string };

/** A record's active links. A partial index serves it, so ended rows cost nothing. */
const isInForce = (recordId: string) =>
  sql`${sql.raw(inForceKey('signing_links.record_id'))} = ${recordId} and ${signingLinks.endedAt} is null
    and ${signingLinks.expiresAt} > now()`;

/**
 * Creates a link to a record. A repeated request gets the one that it created before.
 *
 * @returns with its secret, which cannot be read again.
 * @throws RefusedError `link_limit_reached` if the record has as many in force as it may have.
 * @throws NotFoundError if the record, a draft, has been withdrawn.
 * @throws AccessError `unauthorized` if the key has been revoked meanwhile.
 */
export function createLink(
  database: Database,
  { keyId, expiresInSeconds, participant, note, derive, ...link }: NewLink,
  limit: number,
): Promise<{ link: LinkRow; secret: string }> {
  const secret = createSecret('signing', derive?.('secret'));
  return inOwnTransaction(database, link.principalId, async (transaction) => {
    // Concurrent creations for the same record wait here, so that together they respect the limit.
    const [record] = await transaction
      .select({ id: records.id })
      .from(records)
      .where(eq(records.id, link.recordId))
      .for('no key update');
    if (!record) throw new NotFoundError('The agreement does not exist.');
    await requireActiveKey(transaction, keyId);
    const created = eq(signingLinks.secretHash, hashSecret(secret));
    const [known] = derive ? await transaction.select(linkColumns).from(signingLinks).where(created) : [];
    if (known) return { link: known, secret };
    const open = await transaction.$count(signingLinks, isInForce(link.recordId));
    if (open >= limit)
      throw new RefusedError('link_limit_reached', 'The agreement has reached its limit of signing links.', {
        facts: { limit },
      });
    const [stored] = await transaction
      .insert(signingLinks)
      .values({
        ...link,
        id: createId('lnk', derive?.('id')),
        secretHash: hashSecret(secret),
        createdByApiKeyId: keyId,
        participant: participant ?? null,
        note: note ?? null,
        expiresAt: sql`now() + ${expiresInSeconds} * interval '1 second'`,
      })
      .returning(linkColumns);
    if (!stored) throw new Error('a signing link was not stored');
    return { link: stored, secret };
  });
}

/**
 * A page of the active links to a record, newest first.
 *
 * @throws MalformedError for a cursor of another list.
 */
export function listLinks(
  database: Database,
  { principalId, recordId, ...page }: OfRecord & { limit: number; cursor?: string | undefined },
): Promise<Page<LinkRow & { uses: LinkUse[] }>> {
  return selectNewest(database.select({ ...linkColumns, uses: usesOfLink }).from(signingLinks), {
    list: ['signing links', principalId, recordId],
    of: signingLinks,
    where: isInForce(recordId),
    ...page,
  });
}

/**
 * Ends a link permanently, on every process within a second. An ended link stays unchanged.
 *
 * @throws NotFoundError if the record has no such link.
 */
export function revokeLink(
  database: Database,
  { principalId, recordId, id }: OfRecord & { id: string },
): Promise<LinkRow & { uses: LinkUse[] }> {
  return inTransaction(database, async (transaction) => {
    const [ended] = await transaction
      .update(signingLinks)
      .set({
        endedAt: sql`coalesce(${signingLinks.endedAt}, now())`,
        // It is forgotten as long after its end as one that has expired.
        expiresAt: sql`least(${signingLinks.expiresAt}, now())`,
      })
      .where(and(eq(signingLinks.id, id), eq(signingLinks.recordId, recordId)))
      .returning({ ...linkColumns, uses: usesOfLink });
    if (!ended) throw new NotFoundError('The link does not exist.');
    await notifyAccessChanged(transaction, principalId);
    return ended;
  });
}

/** Reads by a link within this time are one use: whoever has a link could store any number of rows. */
const sameUse = sql.raw(`interval '1 minute'`);
/** The uses kept for each link. */
const keptUses = 100;

/**
 * Stores a use of a link, and removes its oldest ones. Reads one right after the other are one use, and so is
 * an input or a deployment however often it is sent.
 *
 * @throws NotFoundError if the link is gone with its record, a draft that has been withdrawn.
 */
export async function noteUse(
  database: Database,
  use: {
    linkId: string;
    kind: SigningLinkUseKind;
    wallet?: `0x${string}` | undefined;
    inputId?: string | undefined;
    /** When the input was submitted: tells it from others of the same wallet. By default now. */
    at?: string | undefined;
  },
): Promise<void> {
  const { linkId, kind, wallet = null, inputId = null, at = null } = use;
  const isRead = kind === 'opened' || kind === 'evidence';
  const isSame = isRead
    ? sql`used_at > now() - ${sameUse}`
    : sql`used_at = coalesce(${at}::timestamptz, used_at)`;
  // Looks at some uses only, however many there are. Reads never remove what says who has signed.
  try {
    await database.execute(sql`
      with noted as (
        insert into service.signing_link_uses (link_id, kind, wallet, input_id, used_at)
        select ${linkId}, ${kind}, ${wallet}, ${inputId}, coalesce(${at}::timestamptz, now()) where not exists (
          select from (
            select * from service.signing_link_uses
            where link_id = ${linkId} and kind = ${kind} order by id desc limit ${keptUses}) last
          where wallet is not distinct from ${wallet}::text
            and input_id is not distinct from ${inputId}::text and ${isSame})
        returning id)
      delete from service.signing_link_uses where exists (select from noted) and id = any(array(
        select id from service.signing_link_uses where link_id = ${linkId} and kind in ('opened', 'evidence')
        order by id desc offset ${keptUses - 1} limit ${keptUses}))`);
  } catch (error) {
    if (isReferenceLost(error)) throw new NotFoundError('The agreement does not exist.');
    throw error;
  }
}
