import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import {
  displaceWaiting,
  findDisplaced,
  type Place,
  restoreDisplaced,
} from '../../records/agreements/displacedRecords.ts';
import { inBlocks } from './inBlocks.ts';

/**
 * If the blocks bring an agreement back to an address where another Draft of its principal waits by now, its displaced
 * record waits there instead. Returns the changed records.
 */
export async function exchangeWaiting(
  transaction: Queryable,
  { chainId, added }: { chainId: number; added: readonly bigint[] },
): Promise<string[]> {
  const { rows } = await transaction.execute<Place>(sql`
    select other.principal_id, other.chain_id, other.address, shown.doc_hash
    from chain_index.agreements shown cross join lateral (
      select * from service.records waiting
      where waiting.chain_id = ${chainId} and lower(waiting.address) = shown.address and waiting.status = 'Draft'
        and waiting.doc_hash <> shown.doc_hash offset 0) as other
    where shown.chain_id = ${chainId} and ${inBlocks(sql`shown.block_number`, added)}`);
  const returning = await findDisplaced(transaction, rows);
  if (returning.length === 0) return [];
  const displaced = await displaceWaiting(transaction, returning);
  return [...displaced, ...(await restoreDisplaced(transaction, returning))];
}
