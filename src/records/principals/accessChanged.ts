import { sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';

/** Tells every process, once the change is committed, that the keys or entitlements of a principal are others now. */
export async function notifyAccessChanged(database: Queryable, principalId: string): Promise<void> {
  await database.execute(sql`select pg_notify(${channels.accessChanged}, ${principalId})`);
}
