import { BlockNotFoundError, type Hex, type PublicClient } from 'viem';

/** The last folded block. */
export type IndexHead = { readonly number: bigint; readonly hash: Hex };

/** Whether the node's chain has this block. */
export async function isOnChain(client: PublicClient, { number, hash }: IndexHead): Promise<boolean> {
  try {
    return (await client.getBlock({ blockNumber: number })).hash === hash;
  } catch (error) {
    if (error instanceof BlockNotFoundError) return false;
    throw error;
  }
}
