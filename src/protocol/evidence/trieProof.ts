import type { Hex } from 'viem';
import { bytesToHex, hexToBytes } from '../hex.ts';
import { keccak256Bytes } from '../keccak.ts';
import { decodeRlp, EncodingError, type RlpItem } from './decodeRlp.ts';

/** A node's path: one byte with flags, then at most the 32 bytes of a hashed key. */
const mostHeadBytes = 33;

/** A proof that does not lead from the root to the claimed value. */
export class TrieProofError extends Error {
  override readonly name = 'TrieProofError';
}

/**
 * Follows a Merkle Patricia proof from its root along a key. Every node must have the hash that its parent
 * names, and every given node must be used.
 *
 * @returns the value at the key, or null if the proof shows that there is none.
 * @throws TrieProofError for anything else.
 */
export function readTrieProof(root: Hex, key: Uint8Array, proof: readonly Hex[]): Uint8Array | null {
  const nodes = proof.map(hexToBytes);
  let used = 0;
  const load = (reference: RlpItem): readonly RlpItem[] => {
    // A node of less than 32 bytes is embedded in its parent.
    if (!(reference instanceof Uint8Array)) return reference;
    const node = nodes[used];
    if (reference.length !== 32 || node === undefined || keccak256Bytes(node) !== bytesToHex(reference))
      throw new TrieProofError('A node is missing, or not the one that its parent names.');
    used++;
    return listOf(decode(node));
  };
  const path = [...key].flatMap((byte) => [byte >> 4, byte & 15]);
  const value = walk(load(hexToBytes(root)), path, load);
  if (used !== nodes.length) throw new TrieProofError('The proof has nodes that are not used.');
  return value;
}

type Load = (reference: RlpItem) => readonly RlpItem[];

function walk(start: readonly RlpItem[], path: readonly number[], load: Load): Uint8Array | null {
  let node = start;
  for (let at = 0; ; ) {
    if (node.length === 17) {
      const nibble = path[at];
      const child = node[nibble ?? 16];
      if (child === undefined) throw new TrieProofError('A branch is cut short.');
      if (child instanceof Uint8Array && child.length === 0) return null;
      if (nibble === undefined) return bytesOf(child);
      at++;
      node = load(child);
      continue;
    }
    const [head, tail] = node;
    if (node.length !== 2 || !(head instanceof Uint8Array) || tail === undefined)
      throw new TrieProofError('A node is neither a branch nor a leaf.');
    const { nibbles, isLeaf } = readHead(head);
    const isOnPath = nibbles.every((nibble, place) => path[at + place] === nibble);
    at += nibbles.length;
    if (!isOnPath) return null;
    if (isLeaf) return at === path.length ? bytesOf(tail) : null;
    if (nibbles.length === 0) throw new TrieProofError('An extension has no path.');
    node = load(tail);
  }
}

/** The compact form of a path: a flag for a leaf, a flag for an odd length, then the nibbles. */
function readHead(head: Uint8Array): { nibbles: number[]; isLeaf: boolean } {
  const [first = 0xff] = head;
  const flag = first >> 4;
  const isOdd = flag === 1 || flag === 3;
  if (flag > 3 || (!isOdd && (first & 15) !== 0) || head.length > mostHeadBytes)
    throw new TrieProofError('The path of a node is not valid.');
  const rest = [...head.subarray(1)].flatMap((byte) => [byte >> 4, byte & 15]);
  return { nibbles: isOdd ? [first & 15, ...rest] : rest, isLeaf: flag >= 2 };
}

function decode(bytes: Uint8Array): RlpItem {
  try {
    return decodeRlp(bytes);
  } catch (error) {
    if (error instanceof EncodingError) throw new TrieProofError('A node is not encoded as RLP.');
    throw error;
  }
}

function listOf(item: RlpItem): readonly RlpItem[] {
  if (item instanceof Uint8Array) throw new TrieProofError('A node is not a list.');
  return item;
}

function bytesOf(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw new TrieProofError('A value is a list.');
}
