import { eq } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';

/**
 * For what outlives the key that creates it. A revocation waits until the end of the transaction: whoever looks for what the
 * key has created after that finds all of it.
 *
 * @throws AccessError `unauthorized` if the key has ended since the request began.
 */
export async function requireActiveKey(transaction: DatabaseTransaction, keyId: string): Promise<void> {
  const [key] = await transaction
    .select({ status: apiKeys.status })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId))
    .for('share');
  if (key?.status !== 'active') throw new AccessError('unauthorized', 'The API key is not active any more.');
}
