import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  parseSignature,
  toHex,
  zeroHash,
} from 'viem';
import type { HDAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { type Content, contentArguments } from './agreement.ts';
import { accounts, chainId, factory } from './chain.ts';

/** The signed terms of a permit, in addition to its content. */
export interface PermitTerms {
  nonce?: bigint;
  deadline: bigint;
  signer?: HDAccount;
  chainId?: number;
  verifyingContract?: Address;
}

export interface Signature {
  v: number;
  r: Hex;
  s: Hex;
}

/** The order of the curve's group. The high-s twin of a signature has s' = order − s and the other v. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const creationTypes = {
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

const inputDefsParameter = parseAbiParameters([
  'InputDef[]',
  'struct InputDef { bytes32 id; InputFieldDef[] fields; Condition[] conditions; bytes32[] verifierKeys; }',
  'struct InputFieldDef { bytes32 fieldId; uint8 fType; bool required; bool persist; }',
  'struct Condition { uint8 op; bytes32 fieldId; bytes bytesArg; }',
]);
const transitionsParameter = parseAbiParameters([
  'Transition[]',
  'struct Transition { bytes32 fromState; bytes32 toState; bytes32 inputId; }',
]);
const initVarsParameter = parseAbiParameters([
  'DataField[]',
  'struct DataField { bytes32 id; uint8 fType; bytes data; }',
]);
const verifiersParameter = parseAbiParameters([
  'VerifierInit[]',
  'struct VerifierInit { bytes32 key; address verifier; }',
]);
const actionsParameter = parseAbiParameters([
  'ActionInit[]',
  'struct ActionInit { bytes32 fromState; bytes32 inputId; address target; uint256 value; bytes data; }',
]);

/**
 * Signs the permit to create an agreement with this content; by default as `accounts.signer` with nonce 0.
 */
export async function signCreation(content: Content, terms: PermitTerms): Promise<Signature> {
  const { nonce = 0n, deadline, signer = accounts.signer, verifyingContract = factory } = terms;
  const { docUri, docHash, initialState } = content;
  const signature = await signer.signTypedData({
    domain: { name: 'AgreementFactory', version: '1', chainId: terms.chainId ?? chainId, verifyingContract },
    types: creationTypes,
    primaryType: 'PermitAgreementWithActions',
    message: {
      docUri,
      docHash,
      initialState,
      inputDefsHash: keccak256(encodeAbiParameters(inputDefsParameter, [content.inputDefs])),
      transitionsHash: keccak256(encodeAbiParameters(transitionsParameter, [content.transitions])),
      initVarsHash: keccak256(encodeAbiParameters(initVarsParameter, [content.initVars])),
      verifiersHash: keccak256(encodeAbiParameters(verifiersParameter, [content.verifiers])),
      actionsHash: keccak256(encodeAbiParameters(actionsParameter, [content.actions])),
      nonce,
      deadline,
    },
  });
  return split(signature);
}

/** Signs the permit to submit an input; by default as `accounts.signer` with nonce 0. */
export async function signInput(
  agreement: Address,
  inputId: Hex,
  payload: Hex,
  terms: Omit<PermitTerms, 'verifyingContract'>,
): Promise<Signature> {
  const { nonce = 0n, deadline, signer = accounts.signer } = terms;
  const signature = await signer.signTypedData({
    domain: {
      name: 'AgreementEngine',
      version: '1',
      chainId: terms.chainId ?? chainId,
      verifyingContract: agreement,
    },
    types: inputTypes,
    primaryType: 'PermitInput',
    message: { inputId, payload, nonce, deadline },
  });
  return split(signature);
}

/**
 * The call by which `accounts.submitter` sends a creation permit, at an address of `salt` if there is one.
 */
export function permittedCreation(content: Content, deadline: bigint, { v, r, s }: Signature, salt?: Hex) {
  const signer = accounts.signer.address;
  const rest = [...contentArguments(content), deadline, v, r, s] as const;
  const abi = agreementFactoryAbi;
  const data =
    salt === undefined
      ? encodeFunctionData({ abi, functionName: 'createAgreementWithPermit', args: [signer, ...rest] })
      : encodeFunctionData({
          abi,
          functionName: 'createAgreementDeterministicWithPermit',
          args: [signer, salt, ...rest],
        });
  return { from: accounts.submitter.address, to: factory, data };
}

/** The call by which `accounts.submitter` sends an input permit of `accounts.signer`. */
export function permittedSubmission(
  agreement: Address,
  inputId: Hex,
  payload: Hex,
  deadline: bigint,
  { v, r, s }: Signature,
) {
  const args = [accounts.signer.address, inputId, payload, deadline, v, r, s] as const;
  const data = encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInputWithPermit', args });
  return { from: accounts.submitter.address, to: agreement, data };
}

/** The other signature that recovers to the same account. The contracts must refuse it. */
export function toHighS({ v, r, s }: Signature): Signature {
  return { v: v === 27 ? 28 : 27, r, s: toHex(curveOrder - BigInt(s), { size: 32 }) };
}

/** A signature of the right form that recovers to no account. */
export const unrecoverable: Signature = { v: 27, r: zeroHash, s: zeroHash };

function split(signature: Hex): Signature {
  const { r, s, v } = parseSignature(signature);
  return { v: Number(v), r, s };
}
