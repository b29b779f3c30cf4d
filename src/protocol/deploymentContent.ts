import { concat, type Hex } from 'viem';
import { hexToBytes } from './hex.ts';
import { keccak256Bytes, keccak256Text } from './keccak.ts';
import { hashParameters, type SignedParameters } from './typedData.ts';

/**
 * One hash over everything signed in a deployment except nonce and deadline: keccak256 of the docUri's hash,
 * the docHash, the initial state, and the hashes of the five arrays, concatenated. Two permits with the same
 * hash have the same effect.
 *
 * @param docUriHash of the docUri's bytes, if they may be no exact text.
 */
export function hashDeploymentContent(
  parameters: SignedParameters,
  docUriHash = keccak256Text(parameters.docUri),
): Hex {
  const signed = hashParameters(parameters);
  const parts = concat([
    docUriHash,
    signed.docHash,
    signed.initialState,
    signed.inputDefsHash,
    signed.transitionsHash,
    signed.initVarsHash,
    signed.verifiersHash,
    signed.actionsHash,
  ]);
  return keccak256Bytes(hexToBytes(parts));
}
