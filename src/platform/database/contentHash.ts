import { concat, type Hex, keccak256 } from 'viem';

/** What an input permit is compared with the index by: keccak256 of the input's id and the payload, one after the other. */
export function inputContentHash({ inputId, payload }: { inputId: Hex; payload: Hex }): Hex {
  return keccak256(concat([inputId, payload]));
}
