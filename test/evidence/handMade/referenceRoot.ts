import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import type { Hex } from 'viem';
import { bytesToHex } from '../../../src/protocol/hex.ts';

/** The root over a block's items by a general library, item after item. */
export async function referenceRoot(items: readonly Uint8Array[]): Promise<Hex> {
  return bytesToHex((await insertAll(items)).root());
}

/** The proof of one item by the same library. */
export async function referenceProof(items: readonly Uint8Array[], index: number): Promise<Hex[]> {
  const nodes = await createMerkleProof(await insertAll(items), RLP.encode(index));
  // Nodes of less than 32 bytes stand in their parents as well, but for the root.
  return nodes.filter((node, at) => at === 0 || node.length >= 32).map(bytesToHex);
}

async function insertAll(items: readonly Uint8Array[]): Promise<MerklePatriciaTrie> {
  const trie = new MerklePatriciaTrie();
  for (const [index, item] of items.entries()) await trie.put(RLP.encode(index), item);
  return trie;
}
