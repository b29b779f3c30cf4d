import { and, inArray, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';

/** `note` costs a request nothing; `close` stores the noted uses. */
export type SessionUse = { note(sessionId: string): void; close(): Promise<void> };

const intervalMs = 5_000;

/** Extends used sessions, to within five seconds and with one statement for all sessions used meanwhile. */
export function createSessionUse(options: {
  database: Database;
  idleSeconds: number;
  logger: Logger;
}): SessionUse {
  const { database, idleSeconds, logger } = options;
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...used];
    used.clear();
    if (ids.length === 0) return;
    const inForce = and(inArray(sessions.id, ids), sql`${sessions.endedAt} is null`);
    // A session that another process is updating is skipped: that process records the same moment.
    const free = database.select({ id: sessions.id }).from(sessions).where(inForce);
    await database
      .update(sessions)
      .set({ lastUsedAt: sql`now()`, expiresAt: sql`now() + ${idleSeconds} * interval '1 second'` })
      .where(inArray(sessions.id, free.for('update', { skipLocked: true })))
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to record the use of sessions'));
  };

  return {
    note(sessionId) {
      used.add(sessionId);
      timer ??= setTimeout(write, intervalMs).unref();
    },
    close: write,
  };
}
