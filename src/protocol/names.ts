import type { Hex } from 'viem';
import { keccak256Text } from './keccak.ts';

/** The on-chain id of an authored name (state, input, field or variable): keccak256 of its UTF-8 text. */
export function nameHash(name: string): Hex {
  const known = hashes.get(name);
  if (known !== undefined) return known;
  const hash = keccak256Text(name);
  if (name.length > longestKept) return hash;
  if (hashes.size >= mostKept) hashes.clear();
  hashes.set(name, hash);
  return hash;
}

/**
 * The on-chain id of an input. Exactly 0x and 64 lower-case hex digits count as the id already; anything else
 * is the name.
 */
export function inputHash(nameOrHash: string): Hex {
  return isHash(nameOrHash) ? nameOrHash : nameHash(nameOrHash);
}

function isHash(text: string): text is Hex {
  return /^0x[0-9a-f]{64}$/.test(text);
}

/** A document uses the same few names in thousands of places. */
const hashes = new Map<string, Hex>();
const mostKept = 8_192;
const longestKept = 256;
