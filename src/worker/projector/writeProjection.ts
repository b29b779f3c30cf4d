import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { BlockMark, IndexPosition } from './indexPosition.ts';
import { secondsOf } from './projectedColumns.ts';

/** Stores the blocks as folded, each with its number of events in the index. */
export async function insertFoldedBlocks(
  transaction: Queryable,
  { chainId, blocks }: { chainId: number; blocks: readonly BlockMark[] },
): Promise<void> {
  if (blocks.length === 0) return;
  await transaction.execute(sql`
    insert into service.folded_blocks (chain_id, number, hash, timestamp, event_count)
    select ${chainId}::int, number, hash, to_timestamp(seconds),
      (select count(*) from chain_index.inputs where chain_id = ${chainId} and block_number = block.number)
      + (select count(*) from chain_index.agreements where chain_id = ${chainId} and block_number = block.number)
    from ${recordsOf(blocks.map(rowOf))} as block(number bigint, hash text, seconds double precision)`);
}

/**
 * Stores how far the chain is folded, and what was compared. The folded position never goes back: an index
 * that shows less than before only has to catch up.
 */
export async function writeProjection(
  transaction: Queryable,
  projection: { chainId: number; block: BlockMark; position: IndexPosition; foldedThrough: bigint },
): Promise<void> {
  const { chainId, block, position, foldedThrough } = projection;
  await transaction.execute(sql`
    insert into service.projections as projection (chain_id, head_number, head_hash, head_timestamp, compared_deployment,
      compared_through, folded_through)
    select ${chainId}::int, number, hash, to_timestamp(seconds), ${position.deployment}::text,
      ${position.through}::bigint, ${foldedThrough}::bigint
    from ${recordsOf([rowOf(block)])} as block(number bigint, hash text, seconds double precision)
    on conflict (chain_id) do update set compared_deployment = excluded.compared_deployment,
      compared_through = excluded.compared_through, folded_through = excluded.folded_through, updated_at = now(),
      (head_number, head_hash, head_timestamp) = (
        select number, hash, timestamp
        from (values (projection.head_number, projection.head_hash, projection.head_timestamp),
          (excluded.head_number, excluded.head_hash, excluded.head_timestamp)) as head(number, hash, timestamp)
        order by number desc, hash = excluded.head_hash desc
        limit 1)`);
}

/** The index shows less than was folded: once it has caught up, all of it must be compared. */
export async function forgetComparison(transaction: Queryable, chainId: number): Promise<void> {
  await transaction.execute(sql`
    update service.projections set compared_deployment = null
    where chain_id = ${chainId} and compared_deployment is not null`);
}

function rowOf({ number, hash, timestamp }: BlockMark) {
  return { number: String(number), hash, seconds: secondsOf(timestamp) };
}
