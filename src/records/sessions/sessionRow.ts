import { type SQL, sql } from 'drizzle-orm';
import { inForceKey } from '../../platform/database/inForceKey.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';
import { scopes } from '../principals/scopes.ts';
import { readCapabilities } from './capabilities.ts';

/** The shown columns of a session, without its token. */
export const sessionColumns = {
  id: sessions.id,
  keyId: sessions.keyId,
  capabilities: sessions.capabilities,
  label: sessions.label,
  portalLinkId: sessions.portalLinkId,
  createdAt: sessions.createdAt,
  lastUsedAt: sessions.lastUsedAt,
  expiresAt: sessions.expiresAt,
  endedAt: sessions.endedAt,
};
export type SessionRow = Pick<typeof sessions.$inferSelect, keyof typeof sessionColumns>;

/** Active: not ended, not expired, and with an active key. To be joined with the keys. */
export const isInForce: SQL = sql`${sessions.endedAt} is null and ${sessions.expiresAt} > now()
  and ${apiKeys.status} = 'active'`;
/** `isInForce` for one principal. A partial index serves it, so ended rows cost nothing. */
export const isInForceOf = (principalId: string): SQL =>
  sql`${sql.raw(inForceKey('sessions.principal_id'))} = ${principalId} and ${isInForce}`;

/** A session in wire form; `currentId` is the caller's own. */
export function toSession(row: SessionRow, currentId: string | undefined) {
  const capabilities = readCapabilities(row.capabilities);
  return {
    id: row.id,
    label: row.label ?? undefined,
    capabilities: capabilities ?? scopes,
    isNarrowed: capabilities !== null,
    isCurrent: row.id === currentId,
    createdByApiKeyId: row.keyId,
    portalLinkId: row.portalLinkId ?? undefined,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    endedAt: row.endedAt?.toISOString(),
  };
}
