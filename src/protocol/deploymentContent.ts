import { concat, type Hex, keccak256, toBytes } from 'viem';
import { hashParameters, type SignedParameters } from './typedData.ts';

/**
 * One hash over everything signed in a deployment except nonce and deadline: keccak256 of the docUri's hash,
 * the docHash, the initial state, and the hashes of the five arrays, concatenated. Two permits with the same
 * hash have the same effect.
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
