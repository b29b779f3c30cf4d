import { sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';

/** Notifies every process, after the commit, that a principal's keys or entitlements have changed. */
export async function notifyAccessChanged(database: Queryable, principalId: string): Promise<void> {
  await database.execute(sql`select pg_notify(${channels.accessChanged}, ${principalId})`);
}
