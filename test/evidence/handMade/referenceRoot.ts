import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import type { Hex } from 'viem';
import { bytesToHex } from '../../../src/protocol/hex.ts';

/** The root of a block's items, computed by a general library, item by item. */
export async function referenceRoot(items: readonly Uint8Array[]): Promise<Hex> {
  return bytesToHex((await insertAll(items)).root());
}

/** The proof of one item, by the same library. */
export async function referenceProof(items: readonly Uint8Array[], index: number): Promise<Hex[]> {
  return proveKey(await insertAll(items), RLP.encode(index));
}

/** The proof of a trie's value at a key, or of its absence. */
export async function proveKey(trie: MerklePatriciaTrie, key: Uint8Array): Promise<Hex[]> {
  const nodes = await createMerkleProof(trie, key);
  // Nodes of less than 32 bytes are embedded in their parents, except the root.
  return nodes.filter((node, at) => at === 0 || node.length >= 32).map(bytesToHex);
}

/** The trie of a block's items, by default with the keys that blocks use. */
export async function insertAll(
  items: readonly Uint8Array[],
  keyOf: (index: number) => Uint8Array = RLP.encode,
): Promise<MerklePatriciaTrie> {
  const trie = new MerklePatriciaTrie();
  for (const [index, item] of items.entries()) await trie.put(keyOf(index), item);
  return trie;
}
