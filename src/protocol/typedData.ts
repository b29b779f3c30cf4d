import type { Address, Hex } from 'viem';
import { hashActions, hashInitVars, hashInputDefs, hashTransitions, hashVerifiers } from './encodeArrays.ts';
import { inputHash } from './names.ts';
import type { AgreementParameters } from './onChain.ts';

const deployTypes = {
  PermitAgreementWithActions: [
    { name: 'docUri', type: 'string' },
    { name: 'docHash', type: 'bytes32' },
    { name: 'initialState', type: 'bytes32' },
    { name: 'inputDefsHash', type: 'bytes32' },
    { name: 'transitionsHash', type: 'bytes32' },
    { name: 'initVarsHash', type: 'bytes32' },
    { name: 'verifiersHash', type: 'bytes32' },
    { name: 'actionsHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

const inputTypes = {
  PermitInput: [
    { name: 'inputId', type: 'bytes32' },
    { name: 'payload', type: 'bytes' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

export type DeployPermit = {
  readonly chainId: number;
  readonly factory: Address;
  readonly parameters: AgreementParameters;
  /** The signer's nonce at the factory. */
  readonly nonce: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
};

/** The EIP-712 message that authorises a deployment, as viem's `signTypedData` and `hashTypedData` take it. */
export function deployTypedData({ chainId, factory, parameters, nonce, deadline }: DeployPermit) {
  return {
    domain: { name: 'AgreementFactory', version: '1', chainId, verifyingContract: factory },
    types: deployTypes,
    primaryType: 'PermitAgreementWithActions',
    message: { ...hashParameters(parameters), nonce: BigInt(nonce), deadline: BigInt(deadline) },
  } as const;
}

/** Like `AgreementParameters`, with arrays of any origin. */
export type SignedParameters = {
  readonly [Name in keyof AgreementParameters]: AgreementParameters[Name] extends (infer Item)[]
    ? readonly Item[]
    : AgreementParameters[Name];
};

/** The signed form of the parameters: each array as the hash of its ABI encoding. */
export function hashParameters(parameters: SignedParameters) {
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = parameters;
  return {
    docUri,
    docHash,
    initialState,
    inputDefsHash: hashInputDefs(inputDefs),
    transitionsHash: hashTransitions(transitions),
    initVarsHash: hashInitVars(initVars),
    verifiersHash: hashVerifiers(verifiers),
    actionsHash: hashActions(actions),
  };
}

export type InputPermit = {
  readonly chainId: number;
  readonly agreementAddress: Address;
  /**
   * The authored name. Exactly 0x and 64 lower-case hex digits count as its hash, so `nameHash(name)` is
   * unambiguous for every name.
   */
  readonly inputId: string;
  readonly payload: Hex;
  /** The signer's nonce at the agreement. */
  readonly nonce: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
};

/** The EIP-712 message that authorises an input, as viem's `signTypedData` and `hashTypedData` take it. */
export function inputTypedData({
  chainId,
  agreementAddress,
  inputId,
  payload,
  nonce,
  deadline,
}: InputPermit) {
  return {
    domain: { name: 'AgreementEngine', version: '1', chainId, verifyingContract: agreementAddress },
    types: inputTypes,
    primaryType: 'PermitInput',
    message: {
      inputId: inputHash(inputId),
      payload,
      nonce: BigInt(nonce),
      deadline: BigInt(deadline),
    },
  } as const;
}
