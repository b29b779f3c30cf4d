import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';
import { signingLinks } from '../../platform/database/tables/signingLinks.ts';
import { notifyAccessChanged } from '../principals/accessChanged.ts';
import { AdministrationError } from '../principals/administrationError.ts';

/** An active signing link, as an operator sees it. */
export type LinkOfKey = Pick<
  typeof signingLinks.$inferSelect,
  'id' | 'recordId' | 'may' | 'participant' | 'note' | 'createdAt' | 'expiresAt'
>;

const shown = {
  id: signingLinks.id,
  recordId: signingLinks.recordId,
  may: signingLinks.may,
  participant: signingLinks.participant,
  note: signingLinks.note,
  createdAt: signingLinks.createdAt,
  expiresAt: signingLinks.expiresAt,
};

/** No index has the key: only operators ask for it, and seldom. */
const areInForce = (keyId: string) =>
  and(
    eq(signingLinks.createdByApiKeyId, keyId),
    isNull(signingLinks.endedAt),
    sql`${signingLinks.expiresAt} > now()`,
  );

/**
 * The active links that were created with a key, or in its sessions, oldest first.
 *
 * @throws AdministrationError if there is no key of that id.
 */
export async function listLinksOfKey(database: Database, keyId: string): Promise<LinkOfKey[]> {
  await getPrincipalId(database, keyId);
  return database
    .select(shown)
    .from(signingLinks)
    .where(areInForce(keyId))
    .orderBy(asc(signingLinks.createdAt), asc(signingLinks.id));
}

/**
 * Ends these links permanently, on every process within a second, and returns them. If the key is revoked, no request that is
 * under way creates another one.
 *
 * @throws AdministrationError if there is no key of that id.
 */
export async function endLinksOfKey(database: Database, keyId: string): Promise<LinkOfKey[]> {
  const principalId = await getPrincipalId(database, keyId);
  return inTransaction(database, async (transaction) => {
    const ended = await transaction
      .update(signingLinks)
      // They are forgotten as long after their end as links that have expired.
      .set({ endedAt: sql`now()`, expiresAt: sql`now()` })
      .where(areInForce(keyId))
      .returning(shown);
    await notifyAccessChanged(transaction, principalId);
    return ended;
  });
}

async function getPrincipalId(database: Database, keyId: string): Promise<string> {
  const [key] = await database
    .select({ principalId: apiKeys.principalId })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId));
  if (!key) throw new AdministrationError(`No key has the id ${keyId}.`);
  return key.principalId;
}
