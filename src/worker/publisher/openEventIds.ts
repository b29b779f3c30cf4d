import type { Queryable } from '../../platform/database/database.ts';
import { readInstallationSecret } from '../../platform/encryption/installationSecret.ts';
import { createEventIds, type EventIds } from '../../records/events/eventIds.ts';

/** The ids of this installation's events: every process on its database makes the same. */
export async function openEventIds(database: Queryable): Promise<EventIds> {
  return createEventIds(await readInstallationSecret(database, 'event_ids'));
}
