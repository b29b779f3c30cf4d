import { type Address, encodeFunctionData, type Hex, parseSignature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import type { AgreementsClient, BodyOf } from '../client/src/index.ts';
import { deployAgreement } from '../client/src/viem/index.ts';
import { encodeInputPayload, inputTypedData, nameHash, parseAddress } from '../src/protocol/index.ts';
import type { ServiceStack } from '../test/support/serviceStack.ts';
import { pingPong } from './pingPong.ts';

/** A signed input in the API's form, and as a contract call for anybody. */
export type SignedInput = { recordId: string; body: BodyOf<'submitInput'>; to: Address; data: Hex };

const lifetimeSeconds = 86_400;

/** Deploys agreements that accept inputs of anyone at any time, through the API. */
export async function deployAgreements(
  { chainId }: Pick<ServiceStack, 'chainId'>,
  { client, count }: { client: AgreementsClient; count: number },
): Promise<{ id: string; address: Address }[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      const deployment = { agreement: pingPong, chainId, displayName: 'Relay benchmark' };
      const { id, ...record } = await deployAgreement({ client, account, ...deployment });
      const address = parseAddress(record.address);
      if (!address) throw new Error(`${id} is still a Draft`);
      return { id, address };
    }),
  );
}

/**
 * Signs this many inputs of each signer in each agreement, in the order of their nonces. With one, the usual
 * number, none has to wait for another.
 */
export async function signInputs(
  agreements: readonly { id: string; address: Address }[],
  { chainId, count, nonces = 1 }: { chainId: number; count: number; nonces?: number },
): Promise<SignedInput[]> {
  const signers = Array.from({ length: Math.ceil(count / agreements.length / nonces) }, () =>
    privateKeyToAccount(generatePrivateKey()),
  );
  const turns = Array.from({ length: nonces }, (_, nonce) =>
    signers.map((account) => ({ account, nonce: BigInt(nonce) })),
  );
  const inputId = 'hit';
  const values = { note: 'benchmark' };
  const payload = encodeInputPayload(pingPong, inputId, values);
  const deadline = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  const signed: SignedInput[] = [];
  for (const { account, nonce } of turns.flat()) {
    for (const { id: recordId, address: agreementAddress } of agreements) {
      const permit = { chainId, agreementAddress, inputId, payload, nonce, deadline: BigInt(deadline) };
      const { r, s, yParity } = parseSignature(await account.signTypedData(inputTypedData(permit)));
      const v = yParity === 0 ? (27 as const) : (28 as const);
      const data = encodeFunctionData({
        abi: agreementEngineAbi,
        functionName: 'submitInputWithPermit',
        args: [account.address, nameHash(inputId), payload, BigInt(deadline), v, r, s],
      });
      const body = { inputId, values, signer: account.address, deadline, signature: { v, r, s } };
      signed.push({ recordId, body, to: agreementAddress, data });
    }
  }
  return signed;
}
