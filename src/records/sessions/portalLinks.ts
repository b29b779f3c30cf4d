import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inForceKey } from '../../platform/database/inForceKey.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { apiKeys, principals } from '../../platform/database/tables/access.ts';
import { portalLinks } from '../../platform/database/tables/browserSessions.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { AccessError, NotFoundError, RefusedError } from '../../platform/errors/serviceError.ts';
import { type Page, selectNewest } from '../../platform/lists/selectNewest.ts';
import { lockPrincipal } from '../principals/lockPrincipal.ts';
import { scopes } from '../principals/scopes.ts';
import { type Capabilities, readCapabilities } from './capabilities.ts';
import { insertSession, type SessionLimits } from './createSession.ts';
import { createSecret, hashSecret, isSecret } from './secretText.ts';
import type { SessionRow } from './sessionRow.ts';

const columns = {
  id: portalLinks.id,
  keyId: portalLinks.keyId,
  capabilities: portalLinks.capabilities,
  label: portalLinks.label,
  createdAt: portalLinks.createdAt,
  expiresAt: portalLinks.expiresAt,
  usedAt: portalLinks.usedAt,
  endedAt: portalLinks.endedAt,
};
export type PortalLinkRow = Pick<typeof portalLinks.$inferSelect, keyof typeof columns>;

/** Unused, and with an active key. To be joined with the keys. */
const isWaiting: SQL = sql`${portalLinks.usedAt} is null and ${portalLinks.endedAt} is null
  and ${portalLinks.expiresAt} > now() and ${apiKeys.status} = 'active'`;
/** `isWaiting` for one principal. A partial index serves it, so ended rows cost nothing. */
const isWaitingOf = (principalId: string) =>
  sql`${sql.raw(inForceKey('portal_links.principal_id'))} = ${principalId} and ${isWaiting}`;

/**
 * Creates a link that logs in one browser. A repeated request gets the one that it created before.
 *
 * @returns with its secret, which cannot be read again.
 * @throws RefusedError `link_limit_reached` if the principal has as many that wait as it may have sessions.
 */
export function createPortalLink(
  database: Database,
  link: {
    readonly principalId: string;
    readonly keyId: string;
    readonly capabilities: Capabilities;
    readonly label?: string | undefined;
    readonly expiresInSeconds: number;
    /** For a request that may be repeated: gives the same id and secret each time. */
    readonly derive?: Derive | undefined;
  },
  { sessions: limit }: SessionLimits,
): Promise<{ link: PortalLinkRow; secret: string }> {
  const { principalId, keyId, capabilities, label, expiresInSeconds, derive } = link;
  const secret = createSecret('portal', derive?.('secret'));
  return inOwnTransaction(database, principalId, async (transaction) => {
    await lockPrincipal(transaction, principalId);
    const created = eq(portalLinks.secretHash, hashSecret(secret));
    const [known] = derive ? await transaction.select(columns).from(portalLinks).where(created) : [];
    if (known) return { link: known, secret };
    const waiting = transaction
      .select({ id: portalLinks.id })
      .from(portalLinks)
      .innerJoin(apiKeys, eq(apiKeys.id, portalLinks.keyId))
      .where(isWaitingOf(principalId))
      .as('waiting');
    if ((await transaction.$count(waiting)) >= limit)
      throw new RefusedError('link_limit_reached', 'The principal has reached its limit of portal links.', {
        facts: { limit },
      });
    const [stored] = await transaction
      .insert(portalLinks)
      .values({
        id: createId('plk', derive?.('id')),
        secretHash: hashSecret(secret),
        principalId,
        keyId,
        capabilities,
        label: label ?? null,
        expiresAt: sql`now() + ${expiresInSeconds} * interval '1 second'`,
      })
      .returning(columns);
    if (!stored) throw new Error('a portal link was not stored');
    return { link: stored, secret };
  });
}

/**
 * Opens a link's session and uses the link up in the same transaction: of several concurrent requests one
 * succeeds.
 *
 * @throws AccessError `unauthorized` for anything but a usable link. The message does not say why.
 * @throws RefusedError `session_limit_reached`; then the link still waits.
 */
export async function redeemPortalLink(
  database: Database,
  secret: string,
  limits: SessionLimits,
): Promise<{ session: SessionRow; token: string }> {
  if (!isSecret('portal', secret)) throw refuseLink();
  const ofSecret = eq(portalLinks.secretHash, hashSecret(secret));
  const [owner] = await database
    .select({ principalId: portalLinks.principalId })
    .from(portalLinks)
    .where(ofSecret);
  if (!owner) throw refuseLink();
  const { principalId } = owner;
  return inOwnTransaction(database, principalId, async (transaction) => {
    const [link] = await transaction
      .update(portalLinks)
      .set({ usedAt: sql`now()` })
      .from(apiKeys)
      .where(and(ofSecret, eq(apiKeys.id, portalLinks.keyId), isWaiting))
      .returning(columns);
    if (!link) throw refuseLink();
    const { id: portalLinkId, keyId, label } = link;
    const capabilities = readCapabilities(link.capabilities);
    const session = { principalId, keyId, capabilities, label: label ?? undefined, portalLinkId };
    return insertSession(transaction, session, limits);
  });
}

/**
 * What an unused link opens. Does not use the link.
 *
 * @throws AccessError `unauthorized`, as `redeemPortalLink` does.
 */
export async function previewPortalLink(
  database: Database,
  secret: string,
): Promise<PortalLinkRow & { readonly principal: { readonly id: string; readonly name: string } }> {
  const [link] = isSecret('portal', secret)
    ? await database
        .select({ ...columns, principal: { id: principals.id, name: principals.name } })
        .from(portalLinks)
        .innerJoin(apiKeys, eq(apiKeys.id, portalLinks.keyId))
        .innerJoin(principals, eq(principals.id, portalLinks.principalId))
        .where(and(eq(portalLinks.secretHash, hashSecret(secret)), isWaiting))
    : [];
  if (!link) throw refuseLink();
  return link;
}

/**
 * A page of a principal's unused links, newest first.
 *
 * @throws MalformedError for a cursor of another list.
 */
export function listPortalLinks(
  database: Database,
  { principalId, ...page }: { principalId: string; limit: number; cursor?: string | undefined },
): Promise<Page<PortalLinkRow>> {
  const where = isWaitingOf(principalId);
  return selectNewest(
    database.select(columns).from(portalLinks).innerJoin(apiKeys, eq(apiKeys.id, portalLinks.keyId)),
    { list: ['portal links', principalId], of: portalLinks, where, ...page },
  );
}

/**
 * Ends a link permanently; sessions that it opened stay. A used or ended link stays unchanged.
 *
 * @throws NotFoundError if the principal has no such link.
 */
export async function revokePortalLink(
  database: Database,
  { id, principalId }: { id: string; principalId: string },
): Promise<PortalLinkRow> {
  const [ended] = await database
    .update(portalLinks)
    .set({
      endedAt: sql`case when ${portalLinks.usedAt} is null then coalesce(${portalLinks.endedAt}, now()) else ${portalLinks.endedAt} end`,
    })
    .where(and(eq(portalLinks.id, id), eq(portalLinks.principalId, principalId)))
    .returning(columns);
  if (!ended) throw new NotFoundError('The link does not exist.');
  return ended;
}

/** A link in wire form. */
export function toPortalLink(row: PortalLinkRow) {
  const capabilities = readCapabilities(row.capabilities);
  return {
    id: row.id,
    label: row.label ?? undefined,
    capabilities: capabilities ?? scopes,
    isNarrowed: capabilities !== null,
    createdByApiKeyId: row.keyId,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    usedAt: row.usedAt?.toISOString(),
    endedAt: row.endedAt?.toISOString(),
  };
}

function refuseLink(): AccessError {
  return new AccessError('unauthorized', 'The link is invalid, used or expired.');
}
