import { createOwnPlaces } from '../turns/ownPlaces.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { inTransaction } from './inTransaction.ts';

/** One can go on while another waits. */
const mostAtOnce = 2;

const places = createOwnPlaces(mostAtOnce);

/**
 * `inTransaction` for work that may wait for locks of its owner, such as those of a release of its events. All requests
 * share the connections: an owner whose transactions wait takes two of them, and its others wait without one.
 *
 * @param owner the principal.
 */
export async function inOwnTransaction<Result>(
  database: Database,
  owner: string,
  work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  await places.enter(owner);
  try {
    return await inTransaction(database, work);
  } finally {
    places.leave(owner);
  }
}
