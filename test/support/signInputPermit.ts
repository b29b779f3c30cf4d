import { type Address, encodeFunctionData, type Hex, type LocalAccount, parseSignature } from 'viem';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import type { BodyOf } from '../../client/src/index.ts';
import { encodeInputPayload, inputTypedData, nameHash } from '../../src/protocol/index.ts';

/** A signed input: the API's request body, and the call data with which anyone can submit it. */
export type SignedInput = { payload: Hex; body: BodyOf<'submitInput'>; data: Hex };

/** Signs an input of an agreement with a given nonce. The deadline is in Unix seconds. */
export async function signInputPermit(
  account: LocalAccount,
  {
    agreement,
    values,
    deadline,
    ...permit
  }: {
    agreement: object;
    values: Record<string, unknown>;
    deadline: number;
    chainId: number;
    agreementAddress: Address;
    inputId: string;
    nonce: bigint;
  },
): Promise<SignedInput> {
  const { inputId } = permit;
  const payload = encodeInputPayload(agreement, inputId, values);
  const typedData = inputTypedData({ ...permit, payload, deadline: BigInt(deadline) });
  const { r, s, yParity } = parseSignature(await account.signTypedData(typedData));
  const v = yParity === 0 ? (27 as const) : (28 as const);
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [account.address, nameHash(inputId), payload, BigInt(deadline), v, r, s],
  });
  return {
    payload,
    data,
    body: { inputId, values, signer: account.address, deadline, signature: { v, r, s } },
  };
}
