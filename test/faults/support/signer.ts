import { randomUUID } from 'node:crypto';
import { ContractFunctionExecutionError, encodeFunctionData, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { encodeInputPayload, nameHash } from '../../../src/protocol/index.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { type SignedInput as Signed, signInputPermit } from '../../support/signInputPermit.ts';
import type { Agreement } from './caller.ts';
import { type DoorInput, door } from './door.ts';

/** A signed input with its agreement and its nonce. */
export type SignedInput = Signed & { agreement: Agreement; nonce: bigint };

export type Signer = ReturnType<typeof createSigner>;

const lifetimeSeconds = 3_600;

/** A wallet that signs inputs with any nonce, in the form of the service and in the form of the contract. */
export function createSigner({ chainId, client }: ServiceStack) {
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    address: account.address,
    /** Each input has a new note, so that no two have the same content. */
    async sign(
      agreement: Agreement,
      { inputId, nonce }: { inputId: DoorInput; nonce: bigint },
    ): Promise<SignedInput> {
      const { timestamp } = await client.getBlock();
      const deadline = Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + lifetimeSeconds;
      const signed = await signInputPermit(account, {
        chainId,
        agreement: door,
        agreementAddress: agreement.address,
        inputId,
        values: { note: randomUUID() },
        nonce,
        deadline,
      });
      return { ...signed, agreement, nonce };
    },
    /**
     * The number of this wallet's permits that the agreement has taken; undefined while a reorg has removed
     * the agreement.
     */
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

/** An input that anyone can send without a permit: it changes the state but no nonce. */
export function encodeDirectInput(inputId: DoorInput): { data: Hex; payload: Hex } {
  const payload = encodeInputPayload(door, inputId, { note: randomUUID() });
  const args = [nameHash(inputId), payload] as const;
  return {
    data: encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args }),
    payload,
  };
}
