import { inArray, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { apiKeys } from '../../platform/database/tables/access.ts';

/** `note` costs a request nothing; `close` stores the noted uses. */
export type KeyUse = { note(keyId: string): void; close(): Promise<void> };

const intervalMs = 5_000;

/** Records when keys were last used, to within five seconds and with one statement for all keys used meanwhile. */
export function createKeyUse({ database, logger }: { database: Database; logger: Logger }): KeyUse {
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    const keyIds = [...used];
    used.clear();
    if (keyIds.length === 0) return;
    // A key that another process is updating is skipped: that process records the same moment.
    const free = database.select({ id: apiKeys.id }).from(apiKeys).where(inArray(apiKeys.id, keyIds));
    await database
      .update(apiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(inArray(apiKeys.id, free.for('update', { skipLocked: true })))
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to record the use of API keys'));
  };

  return {
    note(keyId) {
      used.add(keyId);
      timer ??= setTimeout(write, intervalMs).unref();
    },
    close: write,
  };
}
