import type { Context } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Hex } from 'viem';

type Block = { number: bigint; hash: Hex; timestamp: bigint };

/** Every handler of a log comes through here first, so that no event lies in a block without a row. */
export async function insertBlock(context: Context, { number, hash, timestamp }: Block): Promise<void> {
  const row = { chainId: context.chain.id, number, hash, timestamp };
  await context.db.insert(schema.block).values(row).onConflictDoNothing();
}

export async function setHead(context: Context, { number, hash, timestamp }: Block): Promise<void> {
  const head = { number, hash, timestamp };
  await context.db
    .insert(schema.head)
    .values({ chainId: context.chain.id, ...head })
    .onConflictDoUpdate(head);
}
