import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { buildAfter, finishPage, type Page } from '../webhooks/listPosition.ts';
import { isInForce, isInForceOf, type SessionRow, sessionColumns } from './sessionRow.ts';

/**
 * A page of a principal's active sessions, newest first.
 *
 * @throws MalformedError for a cursor of another list.
 */
export async function listSessions(
  database: Database,
  { principalId, limit, cursor }: { principalId: string; limit: number; cursor?: string | undefined },
): Promise<Page<SessionRow>> {
  const list = ['sessions', principalId];
  const { createdAt, id } = sessions;
  const rows = await database
    .select(sessionColumns)
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.keyId))
    .where(and(isInForceOf(principalId), buildAfter(list, cursor, { createdAt, id })))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
  return finishPage(list, rows, { limit, cursor });
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
