import { RLP } from '@ethereumjs/rlp';
import type { Hex } from 'viem';
import { bytesToHex, hexToBytes } from '../../protocol/hex.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import { encodeRlp, type RlpInput } from './encodeRlp.ts';

/** The trie of a block's transactions or receipts. */
export type BlockTrie = {
  readonly root: Hex;
  /** The nodes from the root to the item of that index, as a verifier follows them. */
  prove(index: number): Hex[];
};

type Entry = { readonly path: readonly number[]; readonly value: Uint8Array };
type Node = {
  readonly encoded: Uint8Array;
  /** As its parent holds it: by hash, or whole if it is short. */
  readonly reference: RlpInput;
  readonly children: ReadonlyMap<number, Node>;
  /** The length of its path besides the branch's nibble. */
  readonly skipped: number;
};

/** Shorter nodes are embedded in their parents. */
const hashBytes = 32;

/**
 * Builds the Merkle Patricia trie over the items of a block, keyed by the RLP of their index. All keys are
 * known from the start, so it is built once from the top, with one hash per node. Inserting item after item,
 * as general libraries do, takes ten times as long.
 *
 * @param pause is awaited between nodes, for others to have the event loop.
 */
export async function buildBlockTrie(
  items: readonly Uint8Array[],
  pause: () => Promise<void>,
): Promise<BlockTrie> {
  const entries = items.map((value, index) => ({ path: nibblesOf(RLP.encode(index)), value }));
  const root = await buildNode(entries, 0, pause);
  return {
    root: keccak256Bytes(root.encoded),
    prove: (index) => listNodes(root, nibblesOf(RLP.encode(index))),
  };
}

async function buildNode(
  entries: readonly Entry[],
  depth: number,
  pause: () => Promise<void>,
): Promise<Node> {
  await pause();
  const [only] = entries;
  if (!only) return seal(new Uint8Array(), new Map(), 0);
  if (entries.length === 1) return seal([compact(only.path.slice(depth), true), only.value], new Map(), 0);
  const shared = countShared(entries, depth);
  if (shared > 0) {
    const child = await buildNode(entries, depth + shared, pause);
    const head = compact(only.path.slice(depth, depth + shared), false);
    return seal([head, child.reference], new Map([[-1, child]]), shared);
  }
  const children = new Map<number, Node>();
  const items: RlpInput[] = [];
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = entries.filter(({ path }) => path[depth] === nibble);
    const child = below.length > 0 ? await buildNode(below, depth + 1, pause) : undefined;
    if (child) children.set(nibble, child);
    items.push(child?.reference ?? new Uint8Array());
  }
  const own = entries.find(({ path }) => path.length === depth);
  return seal([...items, own?.value ?? new Uint8Array()], children, 0);
}

function seal(item: RlpInput, children: ReadonlyMap<number, Node>, skipped: number): Node {
  const encoded = encodeRlp(item);
  const reference = encoded.length < hashBytes ? item : hexToBytes(keccak256Bytes(encoded));
  return { encoded, reference, children, skipped };
}

function listNodes(root: Node, path: readonly number[]): Hex[] {
  const found: Hex[] = [bytesToHex(root.encoded)];
  let at = 0;
  for (let node: Node | undefined = root; node; ) {
    const isExtension = node.skipped > 0;
    const next: Node | undefined = node.children.get(isExtension ? -1 : (path[at] ?? -2));
    at += isExtension ? node.skipped : 1;
    if (next?.reference instanceof Uint8Array) found.push(bytesToHex(next.encoded));
    node = next;
  }
  return found;
}

function countShared(entries: readonly Entry[], depth: number): number {
  const [first] = entries;
  let shared = 0;
  while (first && first.path.length > depth + shared) {
    const nibble = first.path[depth + shared];
    if (!entries.every(({ path }) => path[depth + shared] === nibble)) break;
    shared++;
  }
  return shared;
}

/** A part of a path as bytes: whether it ends in a leaf, whether it is odd, then its nibbles. */
function compact(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const all = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  return Uint8Array.from(
    { length: all.length / 2 },
    (_, at) => ((all[2 * at] ?? 0) << 4) | (all[2 * at + 1] ?? 0),
  );
}

function nibblesOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
}
