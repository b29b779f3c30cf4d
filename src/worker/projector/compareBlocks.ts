import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedBlocks, indexedInputs } from '../../platform/database/indexView.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { foldedBlocks } from '../../platform/database/tables/projections.ts';
import type { BlockMark, IndexPosition } from './indexPosition.ts';

/** At most this many blocks, and about this many of their inputs and characters of payloads, are folded at once. */
const blockLimit = 256;
const inputLimit = 1_000;
const payloadLimit = 16 * 1024 * 1024;

/** The steps that make the folded blocks equal to those of the index. */
export type Comparison = {
  /** Folded blocks with another history in the index, and all after them, ascending. */
  retracted: bigint[];
  /** Blocks to fold, ascending. */
  added: BlockMark[];
  /** After the fold, everything up to this block is folded. */
  through: bigint;
  /** Whether that is the whole index. */
  isComplete: boolean;
};

/**
 * Compares the folded blocks with the index, both from the block after `floor` on. An indexer that restarts,
 * or another deployment that takes over, shows less than was folded for a while. That says nothing about the
 * chain. So until the index has passed every folded block again, and while it cannot tell its position,
 * differences are ignored and null is returned.
 */
export async function compareBlocks(
  transaction: Queryable,
  { chainId, position, floor }: { chainId: number; position: IndexPosition; floor: bigint },
): Promise<Comparison | null> {
  const { head, through, lastFolded } = position;
  if (lastFolded > through) return null;
  const range = { chainId, floor, through };
  const retracted = await findRetracted(transaction, range);
  if (retracted.length > 0 && !head) return null;
  const found = await findAdded(transaction, { ...range, retracted });
  const added = await takeBatch(transaction, { chainId, blocks: found });
  const last = added.at(-1);
  if (!last || (added.length === found.length && found.length <= blockLimit)) {
    return { retracted, added, through, isComplete: true };
  }
  return { retracted, added, through: last.number, isComplete: false };
}

type Range = { chainId: number; floor: bigint; through: bigint };

/**
 * All folded blocks from the first difference on, because a block depends on those before it. If an index had
 * indexed a block twice and was repaired, only the number of events differs.
 */
async function findRetracted(transaction: Queryable, { chainId, floor, through }: Range): Promise<bigint[]> {
  const { rows } = await transaction.execute<RowOf<typeof foldedBlocks, 'number'>>(sql`
    select block.number::text
    from service.folded_blocks block
    where block.chain_id = ${chainId} and block.number >= (
      select min(folded.number)
      from service.folded_blocks folded
      left join chain_index.blocks shown
        on shown.chain_id = ${chainId} and shown.number = folded.number::numeric
      left join (
        select block_number, count(*) as events
        from (
          select block_number from chain_index.inputs
          where chain_id = ${chainId} and block_number > ${floor} and block_number <= ${through}
          union all
          select block_number from chain_index.agreements
          where chain_id = ${chainId} and block_number > ${floor} and block_number <= ${through}) event
        group by block_number) counted on counted.block_number = folded.number::numeric
      where folded.chain_id = ${chainId} and folded.number > ${floor} and folded.number <= ${through}
        and (shown.hash is distinct from folded.hash
          or folded.event_count <> coalesce(counted.events, 0)))
    order by block.number`);
  return rows.map(({ number }) => BigInt(number));
}

async function findAdded(
  transaction: Queryable,
  { chainId, floor, through, retracted }: Range & { retracted: readonly bigint[] },
): Promise<BlockMark[]> {
  const { rows } = await transaction.execute<
    RowOf<typeof indexedBlocks, 'number' | 'hash' | 'timestamp'>
  >(sql`
    select shown.number::text, shown.hash, shown.timestamp::text
    from chain_index.blocks shown
    left join service.folded_blocks folded
      on folded.chain_id = ${chainId} and folded.number = shown.number::bigint
      and folded.number < ${retracted[0] ?? through + 1n}
    where shown.chain_id = ${chainId} and shown.number > ${floor} and shown.number <= ${through}
      and folded.hash is distinct from shown.hash
    order by shown.number
    limit ${blockLimit + 1}`);
  return rows.map(({ number, hash, timestamp }) => ({
    number: BigInt(number),
    hash,
    timestamp: BigInt(timestamp),
  }));
}

type BlockCount = RowOf<typeof indexedInputs, 'block_number'> & { inputs: number; payloads: number };

/** The first blocks that together hold no more inputs and payloads than are folded at once; at least one block. */
async function takeBatch(
  transaction: Queryable,
  { chainId, blocks }: { chainId: number; blocks: BlockMark[] },
): Promise<BlockMark[]> {
  const [first] = blocks;
  const last = blocks.at(blockLimit - 1) ?? blocks.at(-1);
  if (!first || !last || blocks.length === 1) return blocks;
  const { rows } = await transaction.execute<BlockCount>(sql`
    select block_number::text, count(*)::int as inputs, sum(octet_length(payload))::float8 as payloads
    from chain_index.inputs
    where chain_id = ${chainId} and block_number >= ${first.number} and block_number <= ${last.number}
    group by block_number`);
  const counts = new Map(rows.map((row) => [BigInt(row.block_number), row]));
  let inputs = 0;
  let payloads = 0;
  const end = blocks.slice(0, blockLimit).findIndex(({ number }, index) => {
    inputs += counts.get(number)?.inputs ?? 0;
    payloads += counts.get(number)?.payloads ?? 0;
    return index > 0 && (inputs > inputLimit || payloads > payloadLimit);
  });
  return blocks.slice(0, end === -1 ? blockLimit : end);
}
