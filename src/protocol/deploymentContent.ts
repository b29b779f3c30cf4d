import { concat, type Hex, keccak256, toBytes } from 'viem';
import { hashParameters, type SignedParameters } from './typedData.ts';

/**
 * What is signed of a deployment beside nonce and deadline, in one hash: keccak256 of the docUri's hash, the docHash, the initial
 * state, and the hashes of the five arrays, one after the other. Two permits with the same one have the same effect.
 */
export function hashDeploymentContent(parameters: SignedParameters): Hex {
  const signed = hashParameters(parameters);
  return keccak256(
    concat([
      keccak256(toBytes(signed.docUri)),
      signed.docHash,
      signed.initialState,
      signed.inputDefsHash,
      signed.transitionsHash,
      signed.initVarsHash,
      signed.verifiersHash,
      signed.actionsHash,
    ]),
  );
}
