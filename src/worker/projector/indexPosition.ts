import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedBlocks, indexedHeads } from '../../platform/database/indexView.ts';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { foldedBlocks, projections } from '../../platform/database/tables/projections.ts';

/** A block of the index; `timestamp` in Unix seconds. */
export type BlockMark = { number: bigint; hash: Hex; timestamp: bigint };

/** The current position of one chain in the index, and how far it has been folded. */
export type IndexPosition = {
  /** Identifies the views; changes whenever the indexer has pointed them at a deployment. */
  deployment: string;
  /** Null before the indexer has seen a live block: then a missing row means nothing. */
  head: BlockMark | null;
  /** The database's time, in Unix seconds. */
  now: bigint;
  /** The last block whose rows are certainly complete; -1 for none. */
  through: bigint;
  /** The last folded block with events; -1 for none. */
  lastFolded: bigint;
  /** The highest block up to which the chain was ever folded; null before the first fold. */
  foldedHead: bigint | null;
  /** The result of the last fold, in any process; null if it is useless. */
  last: LastComparison | null;
};

/** The folded blocks up to `foldedThrough` matched a deployment that showed the chain up to `through`. */
export type LastComparison = { deployment: string; through: bigint; foldedThrough: bigint; headHash: Hex };

type Row = { deployment: string; now: string } & OrNull<
  RowOf<typeof indexedHeads, 'number' | 'hash' | 'timestamp'> &
    RowAs<typeof indexedBlocks, { last_shown: 'number' }> &
    RowAs<typeof foldedBlocks, { last_folded: 'number' }> &
    RowOf<typeof projections, 'compared_deployment' | 'compared_through' | 'folded_through'> &
    RowAs<typeof projections, { folded_head: 'head_number'; compared_head: 'head_hash' }>
>;

export async function readIndexPosition(transaction: Queryable, chainId: number): Promise<IndexPosition> {
  const { rows } = await transaction.execute<Row>(sql`
    select 'chain_index.blocks'::regclass::oid::text as deployment, floor(extract(epoch from now()))::bigint::text as now,
      head.number::text, head.hash, head.timestamp::text,
      (select max(number)::text from chain_index.blocks where chain_id = ${chainId}) as last_shown,
      (select max(number)::text from service.folded_blocks where chain_id = ${chainId}) as last_folded,
      compared.compared_deployment, compared.compared_through::text, compared.folded_through::text,
      compared.head_number::text as folded_head, compared.head_hash as compared_head
    from (values (1)) as one
    left join chain_index.heads head on head.chain_id = ${chainId}
    left join service.projections compared on compared.chain_id = ${chainId}`);
  const [row] = rows;
  if (!row) throw new Error('The position of the index has no row.');
  const head = readHead(row);
  return {
    deployment: row.deployment,
    head,
    now: BigInt(row.now),
    // Without a head the indexer may be in the middle of the last block.
    through: head?.number ?? BigInt(row.last_shown ?? 0) - 1n,
    lastFolded: BigInt(row.last_folded ?? -1),
    foldedHead: row.folded_head === null ? null : BigInt(row.folded_head),
    last: readLast(row),
  };
}

function readLast(row: Row): LastComparison | null {
  const { compared_deployment: deployment, compared_through: through, folded_through, compared_head } = row;
  if (deployment === null || through === null || folded_through === null || compared_head === null)
    return null;
  const foldedThrough = BigInt(folded_through);
  return { deployment, through: BigInt(through), foldedThrough, headHash: compared_head };
}

function readHead({ number, hash, timestamp }: Row): BlockMark | null {
  if (number === null || hash === null || timestamp === null) return null;
  return { number: BigInt(number), hash, timestamp: BigInt(timestamp) };
}
