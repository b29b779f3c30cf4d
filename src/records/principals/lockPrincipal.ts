import { eq } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { principals } from '../../platform/database/tables/access.ts';

/** Keeps others who lock the principal waiting until the end of the transaction. */
export async function lockPrincipal(transaction: DatabaseTransaction, principalId: string): Promise<void> {
  await transaction
    .select({ id: principals.id })
    .from(principals)
    .where(eq(principals.id, principalId))
    .for('no key update');
}
