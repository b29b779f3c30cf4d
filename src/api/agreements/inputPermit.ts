import { type Address, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { hashPermit } from '../../protocol/hashPermit.ts';
import {
  encodeDataFields,
  encodeInputPayload,
  inputTypedData,
  nameHash,
  ValuesError,
} from '../../protocol/index.ts';
import type { Permit } from './acceptPermit.ts';
import type { PermitSignature } from './permitSignature.ts';
import type { PermitCall } from './recognisePermit.ts';
import { schemaHint, withoutSchemaFields } from './schemaHint.ts';

export type InputContent = {
  readonly inputId: string;
  /** As parsed: the order of its members is signed. */
  readonly values: unknown;
};

export type SignedInput = InputContent & {
  readonly signer: Address;
  readonly deadline: bigint;
  readonly signature: PermitSignature;
};

export type InputTarget = {
  readonly chainId: number;
  readonly address: Address;
  readonly agreement: unknown;
};

export type EncodedInput = {
  /** The hash of the input's name. */
  readonly inputHash: Hex;
  readonly payload: Hex;
  buildTypedData(nonce: bigint, deadline: bigint): ReturnType<typeof inputTypedData>;
};

export type CompiledInput = {
  readonly inputHash: Hex;
  readonly payload: Hex;
  readonly permit: Permit;
  readonly call: PermitCall;
};

/** Prepared with its selector, which would otherwise be hashed for each call. */
const submitCall = prepareEncodeFunctionData({
  abi: agreementEngineAbi,
  functionName: 'submitInputWithPermit',
});

/** The contract's parameters of an input, and its signed data; undefined if the values have no encoding. */
export function encodeInput(
  { inputId, values }: InputContent,
  { chainId, address: agreementAddress, agreement }: InputTarget,
): EncodedInput | undefined {
  const payload = findPayload({ inputId, values }, agreement);
  if (payload === undefined) return undefined;
  const inputHash = nameHash(inputId);
  return {
    inputHash,
    payload,
    buildTypedData: (nonce, deadline) =>
      inputTypedData({ chainId, agreementAddress, inputId: inputHash, payload, nonce, deadline }),
  };
}

/** The signed data of an input, and the call that submits it; undefined if the values have no encoding. */
export function compileInput(input: SignedInput, target: InputTarget): CompiledInput | undefined {
  const encoded = encodeInput(input, target);
  if (encoded === undefined) return undefined;
  const { inputHash, payload } = encoded;
  const { signer, deadline, signature } = input;
  const { chainId, address: contract } = target;
  const { v, r, s } = signature;
  const callData = encodeFunctionData({
    ...submitCall,
    args: [signer, inputHash, payload, deadline, v, r, s],
  });
  const buildTypedData = (nonce: bigint) => encoded.buildTypedData(nonce, deadline);
  return {
    inputHash,
    payload,
    call: { chainId, contract, callData },
    permit: {
      chainId,
      contract,
      signer,
      signature,
      deadline,
      buildTypedData,
      async findHint(recover, nonce) {
        if (withoutSchemaFields(target.agreement) === undefined) return undefined;
        const { message, ...rest } = buildTypedData(nonce);
        const digest = hashPermit({ ...rest, message: { ...message, payload: encodeDataFields([]) } });
        return (await recover(digest)) === signer ? schemaHint : undefined;
      },
    },
  };
}

function findPayload({ inputId, values }: InputContent, agreement: unknown): Hex | undefined {
  try {
    return encodeInputPayload(agreement, inputId, values);
  } catch (error) {
    if (error instanceof ValuesError) return undefined;
    throw error;
  }
}
