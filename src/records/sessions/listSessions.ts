import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { type Page, selectNewest } from '../../platform/lists/selectNewest.ts';
import { isInForce, isInForceOf, type SessionRow, sessionColumns } from './sessionRow.ts';

/**
 * A page of a principal's active sessions, newest first.
 *
 * @throws MalformedError for a cursor of another list.
 */
export function listSessions(
  database: Database,
  { principalId, ...page }: { principalId: string; limit: number; cursor?: string | undefined },
): Promise<Page<SessionRow>> {
  const where = isInForceOf(principalId);
  return selectNewest(
    database.select(sessionColumns).from(sessions).innerJoin(apiKeys, eq(apiKeys.id, sessions.keyId)),
    { list: ['sessions', principalId], of: sessions, where, ...page },
  );
}

/** @throws NotFoundError if the principal has no such session in force. */
export async function getSession(
  database: Database,
  { id, principalId }: { id: string; principalId: string },
): Promise<SessionRow> {
  const [found] = await database
    .select(sessionColumns)
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.keyId))
    .where(and(eq(sessions.id, id), eq(sessions.principalId, principalId), isInForce));
  if (!found) throw new NotFoundError('The session does not exist.');
  return found;
}
