import { concat, type Hex, keccak256 } from 'viem';

/**
 * The hash that matches an input permit with the index: keccak256 of the input's id and the payload,
 * concatenated.
 */
export function inputContentHash({ inputId, payload }: { inputId: Hex; payload: Hex }): Hex {
  return keccak256(concat([inputId, payload]));
}
