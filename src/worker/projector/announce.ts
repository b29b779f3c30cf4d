import { sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf } from '../../platform/database/statements.ts';

export type FoldedChanges = {
  chainId: number;
  records: readonly string[];
  transactions: readonly string[];
  /** Transactions to send again. */
  reopened: readonly string[];
  /** Whether the chain's folded position has changed. */
  isMoved: boolean;
};

/** Notifies the other processes of a fold's changes, at its commit. Every reaction to a change starts here. */
export async function announce(transaction: Queryable, changes: FoldedChanges): Promise<void> {
  const { chainId, records, transactions, reopened } = changes;
  const outbox = reopened.length > 0 ? [chainId] : [];
  const moved = changes.isMoved ? [chainId] : [];
  if (records.length + transactions.length + outbox.length + moved.length === 0) return;
  await transaction.execute(sql`
    select pg_notify(${channels.recordChanged}, id) from unnest(${arrayOf([...new Set(records)])}::text[]) as id
    union all
    select pg_notify(${channels.transactionChanged}, id)
    from unnest(${arrayOf([...new Set(transactions)])}::text[]) as id
    union all
    select pg_notify(${channels.outbox}, id) from unnest(${arrayOf(outbox)}::text[]) as id
    union all
    select pg_notify(${channels.chainFolded}, id) from unnest(${arrayOf(moved)}::text[]) as id`);
}
