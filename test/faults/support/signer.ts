import { randomUUID } from 'node:crypto';
import { ContractFunctionExecutionError, encodeFunctionData, type Hex, parseSignature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import type { BodyOf } from '../../../client/src/index.ts';
import { encodeInputPayload, inputTypedData, nameHash } from '../../../src/protocol/index.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import type { Agreement } from './caller.ts';
import { type DoorInput, door } from './door.ts';

/** A signed input as the API takes it, and as anybody can send it to the contract. */
export type SignedInput = {
  agreement: Agreement;
  nonce: bigint;
  payload: Hex;
  body: BodyOf<'submitInput'>;
  data: Hex;
};

export type Signer = ReturnType<typeof createSigner>;

const lifetimeSeconds = 3_600;

/** A wallet that signs inputs with any nonce, as the service takes them and as the contract does. */
export function createSigner({ chainId, client }: ServiceStack) {
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    address: account.address,
    /** Each has a note of its own, so that no two have the same content. */
    async sign(
      agreement: Agreement,
      { inputId, nonce }: { inputId: DoorInput; nonce: bigint },
    ): Promise<SignedInput> {
      const values = { note: randomUUID() };
      const payload = encodeInputPayload(door, inputId, values);
      const { timestamp } = await client.getBlock();
      const deadline = Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + lifetimeSeconds;
      const permit = {
        chainId,
        agreementAddress: agreement.address,
        inputId,
        payload,
        nonce,
        deadline: BigInt(deadline),
      };
      const { r, s, yParity } = parseSignature(await account.signTypedData(inputTypedData(permit)));
      const v = yParity === 0 ? (27 as const) : (28 as const);
      const data = encodeFunctionData({
        abi: agreementEngineAbi,
        functionName: 'submitInputWithPermit',
        args: [account.address, nameHash(inputId), payload, BigInt(deadline), v, r, s],
      });
      const body = { inputId, values, signer: account.address, deadline, signature: { v, r, s } };
      return { agreement, nonce, payload, body, data };
    },
    /** How many permits of it the agreement has taken; undefined while a reorganisation has taken the agreement. */
    async readNonce(agreement: Agreement): Promise<bigint | undefined> {
      const reading = {
        address: agreement.address,
        abi: agreementEngineAbi,
        functionName: 'nonces',
      } as const;
      try {
        return await client.readContract({ ...reading, args: [account.address] });
      } catch (error) {
        if (error instanceof ContractFunctionExecutionError) return undefined;
        throw error;
      }
    },
  };
}

/** An input of whoever sends it, without a permit: the state changes and nobody's nonce does. */
export function encodeDirectInput(inputId: DoorInput): { data: Hex; payload: Hex } {
  const payload = encodeInputPayload(door, inputId, { note: randomUUID() });
  const args = [nameHash(inputId), payload] as const;
  return {
    data: encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args }),
    payload,
  };
}
