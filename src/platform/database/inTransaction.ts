import { drizzle } from 'drizzle-orm/node-postgres';
import { type Database, type DatabaseTransaction, drizzleOptions } from './database.ts';
import { withTransaction } from './withTransaction.ts';

/**
 * Runs `work` in one database transaction; an error undoes all of it. Drizzle's own `transaction` never
 * returns a connection that breaks at its begin, so that after an outage of the database the pool would be
 * empty.
 */
export function inTransaction<Result>(
  database: Database,
  work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  return withTransaction(database.$client, (client) => work(drizzle(client, drizzleOptions)));
}
