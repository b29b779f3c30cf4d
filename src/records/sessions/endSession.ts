import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { notifyAccessChanged } from '../principals/accessChanged.ts';
import { hashSecret, isSecret } from './secretText.ts';
import { type SessionRow, sessionColumns } from './sessionRow.ts';

/**
 * Ends a session of a principal permanently, on every process within a second. An ended session stays unchanged.
 *
 * @throws NotFoundError if the principal has no such session.
 */
export function endSession(
  database: Database,
  { id, principalId }: { id: string; principalId: string },
): Promise<SessionRow> {
  return inTransaction(database, async (transaction) => {
    const [ended] = await transaction
      .update(sessions)
      .set({ endedAt: sql`coalesce(${sessions.endedAt}, now())` })
      .where(and(eq(sessions.id, id), eq(sessions.principalId, principalId)))
      .returning(sessionColumns);
    if (!ended) throw new NotFoundError('The session does not exist.');
    await notifyAccessChanged(transaction, principalId);
    return ended;
  });
}

/** Ends the session of a token, if there is one: a browser that logs in again no longer needs it. */
export async function endSessionOfToken(database: Database, token: string | undefined): Promise<void> {
  if (token === undefined || !isSecret('session', token)) return;
  await inTransaction(database, async (transaction) => {
    const [ended] = await transaction
      .update(sessions)
      .set({ endedAt: sql`now()` })
      .where(and(eq(sessions.tokenHash, hashSecret(token)), sql`${sessions.endedAt} is null`))
      .returning({ principalId: sessions.principalId });
    if (ended) await notifyAccessChanged(transaction, ended.principalId);
  });
}
