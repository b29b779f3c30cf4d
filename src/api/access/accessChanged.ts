import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';

/** Notified with a principal's id when its keys or entitlements have changed, as the change is committed. */
export const accessChannel = 'access_changed';

export async function notifyAccessChanged(database: Queryable, principalId: string): Promise<void> {
  await database.execute(sql`select pg_notify(${accessChannel}, ${principalId})`);
}
