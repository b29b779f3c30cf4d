import type { Context } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Hex } from 'viem';
import { refuseBlock } from './refuseBlock.ts';

type Block = { number: bigint; hash: Hex; timestamp: bigint };

/**
 * Every handler of a log calls this first, so that every block with an event has a row, and no event is
 * indexed twice.
 */
export async function insertBlock(context: Context, { number, hash, timestamp }: Block): Promise<void> {
  await refuseRepetition(context, number);
  const row = { chainId: context.chain.id, number, hash, timestamp };
  await context.db.insert(schema.block).values(row).onConflictDoNothing();
}

/** The last event of a block: all others are stored by then. */
export async function setHead(context: Context, { number, hash, timestamp }: Block): Promise<void> {
  await refuseRepetition(context, number);
  const head = { number, hash, timestamp };
  await context.db
    .insert(schema.head)
    .values({ chainId: context.chain.id, ...head })
    .onConflictDoUpdate(head);
}

/**
 * After a reorg the head is rolled back before the next block comes, so a block at or below the head was
 * indexed already. Ponder forgets blocks if a node does not know the parent of a block that another node has
 * sent.
 */
async function refuseRepetition(context: Context, number: bigint): Promise<void> {
  const chainId = context.chain.id;
  const head = await context.db.find(schema.head, { chainId });
  if (head && head.number >= number) refuseBlock({ chainId, number, head: head.number });
}
