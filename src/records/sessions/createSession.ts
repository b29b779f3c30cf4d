import { eq, sql } from 'drizzle-orm';
import type { Database, DatabaseTransaction } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { lockPrincipal } from '../principals/lockPrincipal.ts';
import type { Capabilities } from './capabilities.ts';
import { createSecret, hashSecret } from './secretText.ts';
import { isInForceOf, type SessionRow, sessionColumns } from './sessionRow.ts';

export type NewSession = {
  readonly principalId: string;
  readonly keyId: string;
  readonly capabilities: Capabilities;
  readonly label?: string | undefined;
  readonly portalLinkId?: string | undefined;
  /** For a request that may be repeated: gives the same id and secret each time. */
  readonly derive?: Derive | undefined;
};

export type SessionLimits = { readonly sessionIdleSeconds: number; readonly sessions: number };

/**
 * Opens a session of a principal. A repeated request gets the one that it opened before.
 *
 * @returns with its token, which cannot be read again.
 * @throws RefusedError `session_limit_reached` if the principal has as many in force as it may have.
 */
export function createSession(
  database: Database,
  session: NewSession,
  limits: SessionLimits,
): Promise<{ session: SessionRow; token: string }> {
  return inOwnTransaction(database, session.principalId, (transaction) =>
    insertSession(transaction, session, limits),
  );
}

/** Opens a session within the caller's transaction. */
export async function insertSession(
  transaction: DatabaseTransaction,
  { principalId, keyId, capabilities, label, portalLinkId, derive }: NewSession,
  { sessionIdleSeconds, sessions: limit }: SessionLimits,
): Promise<{ session: SessionRow; token: string }> {
  const id = createId('ses', derive?.('id'));
  const token = createSecret('session', derive?.('secret'));
  await lockPrincipal(transaction, principalId);
  const [known] = derive
    ? await transaction
        .select(sessionColumns)
        .from(sessions)
        .where(eq(sessions.tokenHash, hashSecret(token)))
    : [];
  if (known) return { session: known, token };
  const open = transaction
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.keyId))
    .where(isInForceOf(principalId))
    .as('open');
  if ((await transaction.$count(open)) >= limit)
    throw new RefusedError('session_limit_reached', 'The principal has reached its session limit.', {
      facts: { limit },
    });
  const [session] = await transaction
    .insert(sessions)
    .values({
      id,
      tokenHash: hashSecret(token),
      principalId,
      keyId,
      capabilities,
      label: label ?? null,
      portalLinkId: portalLinkId ?? null,
      expiresAt: sql`now() + ${sessionIdleSeconds} * interval '1 second'`,
    })
    .returning(sessionColumns);
  if (!session) throw new Error('a session was not stored');
  return { session, token };
}
