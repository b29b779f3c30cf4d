import type { Address, Hex } from 'viem';
import { keccak256, pad } from 'viem';
import { at, type JsonObject } from '../editJson.ts';
import { layout } from './depositedLease.ts';
import { type HandMadeChain, proveContract } from './sealChain.ts';

/**
 * Proves the state of a handmade chain again, for other signers or with the nonces at another slot. The state
 * root stays the same: any node could give these proofs.
 */
export async function reproveState(
  file: JsonObject,
  chain: HandMadeChain,
  { signers, nonces = layout.nonces }: { signers: readonly Address[]; nonces?: Hex },
): Promise<void> {
  const ascending = signers.map((signer): Hex => `0x${signer.slice(2).toLowerCase()}`).sort();
  const { storage, accountProof } = await proveContract(chain, [
    ...(['docHash', 'initialState', 'currentState'] as const).map((of) => ({ of, slot: layout[of] })),
    ...ascending.map((of) => ({ of, slot: keccak256(`${pad(of)}${nonces.slice(2)}`) })),
  ]);
  Object.assign(at(file, 'state'), { layout: { ...layout, nonces }, storage, accountProof });
}
