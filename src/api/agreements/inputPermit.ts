import { type Address, encodeFunctionData, type Hex, hashTypedData } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
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

/** An input with the permit that its signer gave. */
export type SignedInput = {
  readonly inputId: string;
  /** As parsed: the order of its members is signed. */
  readonly values: unknown;
  readonly signer: Address;
  readonly deadline: bigint;
  readonly signature: PermitSignature;
};

/** The agreement that an input is for. */
export type InputTarget = {
  readonly chainId: number;
  readonly address: Address;
  readonly agreement: unknown;
};

export type CompiledInput = {
  /** The hash of the input's name. */
  readonly inputHash: Hex;
  readonly payload: Hex;
  readonly permit: Permit;
  readonly call: PermitCall;
};

/** What an input's signer signed, and the call that submits it; undefined where the values have no encoding. */
export function compileInput(input: SignedInput, target: InputTarget): CompiledInput | undefined {
  const payload = findPayload(input, target);
  if (payload === undefined) return undefined;
  const { signer, deadline, signature } = input;
  const { chainId, address: contract } = target;
  const inputHash = nameHash(input.inputId);
  const { v, r, s } = signature;
  const callData = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [signer, inputHash, payload, deadline, v, r, s],
  });
  const buildTypedData = (nonce: bigint, signedPayload = payload) =>
    inputTypedData({
      chainId,
      agreementAddress: contract,
      inputId: inputHash,
      payload: signedPayload,
      nonce,
      deadline,
    });
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
      buildTypedData: (nonce) => buildTypedData(nonce),
      async findHint(recover, nonce) {
        if (withoutSchemaFields(target.agreement) === undefined) return undefined;
        const digest = hashTypedData(buildTypedData(nonce, encodeDataFields([])));
        return (await recover(digest)) === signer ? schemaHint : undefined;
      },
    },
  };
}

function findPayload({ inputId, values }: SignedInput, { agreement }: InputTarget): Hex | undefined {
  try {
    return encodeInputPayload(agreement, inputId, values);
  } catch (error) {
    if (error instanceof ValuesError) return undefined;
    throw error;
  }
}
