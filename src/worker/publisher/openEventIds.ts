import type { Queryable } from '../../platform/database/database.ts';
import { readInstallationSecret } from '../../platform/encryption/installationSecret.ts';
import { createEventIds, type EventIds } from '../../records/events/eventIds.ts';

/** The event ids of this installation: every process on its database computes the same. */
export async function openEventIds(database: Queryable): Promise<EventIds> {
  return createEventIds(await readInstallationSecret(database, 'event_ids'));
}

/** Opens the event ids at the first call; a failure is not remembered. */
export function createEventIdReader(database: Queryable): () => Promise<EventIds> {
  let eventIds: EventIds | undefined;
  return async () => {
    eventIds ??= await openEventIds(database);
    return eventIds;
  };
}
