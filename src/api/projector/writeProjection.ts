import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import type { BlockMark } from './indexPosition.ts';
import { recordsOf, secondsOf } from './statements.ts';

/** Notes the blocks as folded. */
export async function insertFoldedBlocks(
  transaction: Queryable,
  { chainId, blocks }: { chainId: number; blocks: readonly BlockMark[] },
): Promise<void> {
  if (blocks.length === 0) return;
  await transaction.execute(sql`
    insert into service.folded_blocks (chain_id, number, hash, timestamp)
    select ${chainId}::int, number, hash, to_timestamp(seconds)
    from ${recordsOf(blocks.map(rowOf))} as block(number bigint, hash text, seconds double precision)`);
}

/** Notes how far the chain is folded. It never goes back: an index that shows less than before has only to catch up. */
export async function writeProjection(
  transaction: Queryable,
  { chainId, block }: { chainId: number; block: BlockMark },
): Promise<void> {
  await transaction.execute(sql`
    insert into service.projections as it (chain_id, head_number, head_hash, head_timestamp)
    select ${chainId}::int, number, hash, to_timestamp(seconds)
    from ${recordsOf([rowOf(block)])} as block(number bigint, hash text, seconds double precision)
    on conflict (chain_id) do update set head_number = excluded.head_number, head_hash = excluded.head_hash,
      head_timestamp = excluded.head_timestamp, updated_at = now()
    where it.head_number <= excluded.head_number and it.head_hash <> excluded.head_hash`);
}

function rowOf({ number, hash, timestamp }: BlockMark) {
  return { number: String(number), hash, seconds: secondsOf(timestamp) };
}
