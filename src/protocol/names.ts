import type { Hex } from 'viem';
import { keccak256Text } from './keccak.ts';

/** The on-chain id of an authored name (state, input, field or variable): keccak256 of its UTF-8 text. */
export function nameHash(name: string): Hex {
  return keccak256Text(name);
}
