import { signRecoverable } from 'tiny-secp256k1';
import {
  type AbiParameter,
  type Address,
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  hashDomain,
  hexToBytes,
  keccak256,
  toFunctionSelector,
  toHex,
} from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { bytesToHex } from '../../../src/protocol/hex.ts';
import { keccak256Bytes } from '../../../src/protocol/keccak.ts';
import { actorAt, type ModelCase } from './modelCase.ts';
import type { PreparedStep } from './runInModel.ts';

/** An agreement's address, and the hash of its EIP-712 domain. */
export type Agreement = { readonly address: Address; readonly domain: Hex };

const creation = getAbiItem({ abi: agreementFactoryAbi, name: 'createAgreementDeterministic' });
const submission = getAbiItem({ abi: agreementEngineAbi, name: 'submitInput' });
const permitted = getAbiItem({ abi: agreementEngineAbi, name: 'submitInputWithPermit' });
/** Hashed only once: viem's encoder hashes the signature for each call. */
const selectors = {
  creation: toFunctionSelector(creation),
  submission: toFunctionSelector(submission),
  permitted: toFunctionSelector(permitted),
};
const permitType = keccak256(
  toHex('PermitInput(bytes32 inputId,bytes payload,uint256 nonce,uint256 deadline)'),
);
const permitParameters = [
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'uint256' },
  { type: 'uint256' },
] as const satisfies readonly AbiParameter[];

/** The factory call that creates a case's agreement at the salt's address. */
export function encodeCreation(salt: Hex, parameters: ModelCase['parameters']): Hex {
  const { initialState, inputDefs, transitions, initVars, verifiers, actions } = parameters;
  const args = [salt, '', salt, initialState, inputDefs, transitions, initVars, verifiers, actions] as const;
  return join(selectors.creation, encodeAbiParameters(creation.inputs, args));
}

/** The call that submits a step to the agreement, signed if the step has a permit. */
export function encodeStep({ inputId, payload, permit }: PreparedStep, { domain }: Agreement): Hex {
  if (permit === undefined)
    return join(selectors.submission, encodeAbiParameters(submission.inputs, [inputId, payload]));
  const { privateKey, address } = actorAt(permit.signer);
  const { nonce, deadline } = permit;
  const struct = hash(
    encodeAbiParameters(permitParameters, [permitType, inputId, hash(payload), nonce, deadline]),
  );
  const digest = hash(`0x1901${domain.slice(2)}${struct.slice(2)}`);
  const { signature, recoveryId } = signRecoverable(hexToBytes(digest), hexToBytes(privateKey));
  const r = bytesToHex(signature.slice(0, 32));
  const s = bytesToHex(signature.slice(32));
  const args = [address, inputId, payload, deadline, 27 + recoveryId, r, s] as const;
  return join(selectors.permitted, encodeAbiParameters(permitted.inputs, args));
}

export function hashEngineDomain(chainId: bigint, verifyingContract: Address): Hex {
  return hashDomain({
    domain: { name: 'AgreementEngine', version: '1', chainId, verifyingContract },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
    },
  });
}

function hash(data: Hex): Hex {
  return keccak256Bytes(hexToBytes(data));
}

function join(selector: Hex, args: Hex): Hex {
  return `${selector}${args.slice(2)}` as const;
}
