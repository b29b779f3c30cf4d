import { drizzle } from 'drizzle-orm/node-postgres';
import { type Database, type DatabaseTransaction, drizzleOptions } from './database.ts';
import { withTransaction } from './withTransaction.ts';

/**
 * Runs `work` in one database transaction; whatever it throws undoes all of it. Drizzle's own `transaction` keeps a connection for
 * ever that breaks when it begins: after an outage of the database a pool would be empty.
 */
export function inTransaction<Result>(
  database: Database,
  work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  return withTransaction(database.$client, (client) => work(drizzle(client, drizzleOptions)));
}
