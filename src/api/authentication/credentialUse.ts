import { type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';

/** `note` costs a request nothing; `close` stores the noted uses. */
export type CredentialUse = { note(id: string): void; close(): Promise<void> };

type Parts = { database: Database; logger: Logger };

const intervalMs = 5_000;
/** Uses are written late, and by several processes. */
const latestUse = sql`greatest(credential.last_used_at, noted.used_at)`;

/** Records when keys were last used. */
export function createKeyUse(parts: Parts): CredentialUse {
  return createUse(parts, {
    what: 'API keys',
    table: sql`service.api_keys`,
    condition: sql`true`,
    changes: sql`last_used_at = ${latestUse}`,
  });
}

/** Extends used sessions. */
export function createSessionUse({ idleSeconds, ...parts }: Parts & { idleSeconds: number }): CredentialUse {
  return createUse(parts, {
    what: 'sessions',
    table: sql`service.sessions`,
    condition: sql`ended_at is null`,
    changes: sql`last_used_at = ${latestUse}, expires_at = ${latestUse} + ${idleSeconds} * interval '1 second'`,
  });
}

/** Records uses within five seconds, each with its own time, by one statement for all rows used meanwhile. */
function createUse(
  { database, logger }: Parts,
  { what, table, condition, changes }: { what: string; table: SQL; condition: SQL; changes: SQL },
): CredentialUse {
  /** The newest use of each, by the clock that never goes back. */
  const used = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (used.size === 0) return;
    const ids = [...used.keys()];
    const now = performance.now();
    const agesMs = [...used.values()].map((usedAt) => now - usedAt);
    used.clear();
    // A row that another process is updating is skipped: that process records a use of the same seconds.
    const statement = sql`update ${table} credential set ${changes} from (
      select found.id, now() - use.age_ms * interval '1 millisecond' as used_at
      from unnest(${arrayOf(ids)}::text[], ${arrayOf(agesMs)}::float8[]) use(id, age_ms)
      join ${table} found on found.id = use.id where ${condition} for update of found skip locked) noted
      where credential.id = noted.id`;
    await database
      .execute(statement)
      .catch((error: unknown) => logger.warn({ err: error }, `failed to record the use of ${what}`));
  };

  return {
    note(id) {
      used.set(id, performance.now());
      timer ??= setTimeout(write, intervalMs).unref();
    },
    close: write,
  };
}
