import { type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';

/** `note` costs a request nothing; `close` stores the noted uses. */
export type CredentialUse = { note(id: string): void; close(): Promise<void> };

type Parts = { database: Database; logger: Logger };

const intervalMs = 5_000;

/** Records when keys were last used. */
export function createKeyUse(parts: Parts): CredentialUse {
  return createUse(parts, {
    what: 'API keys',
    table: sql`service.api_keys`,
    condition: sql`true`,
    changes: sql`last_used_at = now()`,
  });
}

/** Extends used sessions. */
export function createSessionUse({ idleSeconds, ...parts }: Parts & { idleSeconds: number }): CredentialUse {
  return createUse(parts, {
    what: 'sessions',
    table: sql`service.sessions`,
    condition: sql`ended_at is null`,
    changes: sql`last_used_at = now(), expires_at = now() + ${idleSeconds} * interval '1 second'`,
  });
}

/** Records uses to within five seconds, with one statement for all rows used meanwhile. */
function createUse(
  { database, logger }: Parts,
  { what, table, condition, changes }: { what: string; table: SQL; condition: SQL; changes: SQL },
): CredentialUse {
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...used];
    used.clear();
    if (ids.length === 0) return;
    // A row that another process is updating is skipped: that process records the same moment.
    const statement = sql`update ${table} set ${changes} where id in (
      select id from ${table} where id = any(${arrayOf(ids)}::text[]) and ${condition} for update skip locked)`;
    await database
      .execute(statement)
      .catch((error: unknown) => logger.warn({ err: error }, `failed to record the use of ${what}`));
  };

  return {
    note(id) {
      used.add(id);
      timer ??= setTimeout(write, intervalMs).unref();
    },
    close: write,
  };
}
