import { randomUUID } from 'node:crypto';
import { type Address, encodeFunctionData, type Hex, parseGwei, parseSignature } from 'viem';
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
const gas = 1_000_000n;

/** A wallet that signs inputs with any nonce, and that can send what it has signed to the contract by itself. */
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
    /** How many permits of it the agreement has taken. */
    readNonce(agreement: Agreement): Promise<bigint> {
      const reading = {
        address: agreement.address,
        abi: agreementEngineAbi,
        functionName: 'nonces',
      } as const;
      return client.readContract({ ...reading, args: [account.address] });
    },
  };
}

/** Has one of the chain's own accounts send a call, for a fee that is above the relay's or below it. */
export async function sendDirectly(
  { client }: ServiceStack,
  call: { to: Address; data: Hex; isFirst: boolean },
): Promise<void> {
  const [account] = await client.getAddresses();
  if (!account) throw new Error('the chain has no accounts');
  const { to, data, isFirst } = call;
  const fees = { maxFeePerGas: parseGwei('100'), maxPriorityFeePerGas: isFirst ? parseGwei('50') : 1n };
  await client.sendTransaction({ account, chain: null, to, data, gas, ...fees });
}

/** An input of the account itself, without a permit: the state changes and nobody's nonce does. */
export function encodeDirectInput(inputId: DoorInput): { data: Hex; payload: Hex } {
  const payload = encodeInputPayload(door, inputId, { note: randomUUID() });
  const args = [nameHash(inputId), payload] as const;
  return {
    data: encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args }),
    payload,
  };
}
