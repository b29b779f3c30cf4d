import type { Queryable } from '../database/database.ts';
import { readInstallationSecret } from '../encryption/installationSecret.ts';
import { createEventIds, type EventIds } from './eventIds.ts';

/** The ids of this installation's events: every process on its database makes the same. */
export async function openEventIds(database: Queryable): Promise<EventIds> {
  return createEventIds(await readInstallationSecret(database, 'event_ids'));
}
