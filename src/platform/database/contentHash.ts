import type { Hex } from 'viem';
import { hexToBytes } from '../../protocol/hex.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';

/**
 * The hash that matches an input permit with the index: keccak256 of the input's id and the payload,
 * concatenated.
 */
export function inputContentHash({ inputId, payload }: { inputId: Hex; payload: Hex }): Hex {
  return keccak256Bytes(hexToBytes(`${inputId}${payload.slice(2)}`));
}
