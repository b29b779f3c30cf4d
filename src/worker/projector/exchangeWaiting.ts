import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import {
  displaceWaiting,
  findDisplaced,
  type LeftPlace,
  type Place,
  restoreDisplaced,
} from '../../records/agreements/displacedRecords.ts';
import { isSameAgreement, permitCreationSql } from '../../records/agreements/sameAgreement.ts';
import { inBlocks } from './inBlocks.ts';

type Agreements = { chainId: number; added: readonly bigint[]; through: bigint; isWhole: boolean };

/**
 * An agreement may come back to an address where another Draft of its principal waits. Then its displaced record waits there
 * instead. Checks the agreements of the blocks in `added`, or all of them in a whole scan. Returns the changed records.
 */
export async function exchangeWaiting(
  transaction: Queryable,
  { chainId, added, through, isWhole }: Agreements,
): Promise<string[]> {
  const { rows } = await transaction.execute<Place>(sql`
    select waiting.principal_id, waiting.chain_id, waiting.address, shown.doc_hash, shown.transaction_hash,
      ${sql.raw(permitCreationSql('shown'))} as permit_creation
    from service.records waiting
    join chain_index.agreements shown
      on shown.chain_id = waiting.chain_id and shown.address = lower(waiting.address)
        and not ${sql.raw(isSameAgreement('waiting', 'shown'))}
    where waiting.chain_id = ${chainId} and waiting.status = 'Draft' and waiting.error is null and not waiting.awaits_owner
      and waiting.deploy_transaction_id is null and shown.chain_id = ${chainId} and shown.block_number <= ${through}
      and (${isWhole}::boolean or ${inBlocks(sql`shown.block_number`, added)})`);
  const returning = await findDisplaced(transaction, rows);
  if (returning.length === 0) return [];
  const keys = new Set(returning.map(keyOf));
  const displaced = await displaceWaiting(
    transaction,
    rows.filter((place) => keys.has(keyOf(place))),
  );
  return [...displaced, ...(await restoreDisplaced(transaction, returning))];
}

function keyOf({ principal_id, chain_id, address }: LeftPlace): string {
  return `${principal_id} ${chain_id} ${address}`;
}
