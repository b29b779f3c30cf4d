import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { AgreementsClient } from '../client/src/index.ts';
import { deployAgreement } from '../client/src/viem/index.ts';
import { parseAddress } from '../src/protocol/index.ts';
import type { ServiceStack } from '../test/support/serviceStack.ts';
import { type SignedInput as Signed, signInputPermit } from '../test/support/signInputPermit.ts';
import { pingPong } from './pingPong.ts';

export type SignedInput = Omit<Signed, 'payload'> & { recordId: string; to: Address };

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
 * number, no input has to wait for another.
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
  const input = { chainId, agreement: pingPong, inputId: 'hit', values: { note: 'benchmark' } };
  const deadline = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  const signed: SignedInput[] = [];
  for (const { account, nonce } of turns.flat()) {
    for (const { id: recordId, address: to } of agreements) {
      const permit = { ...input, agreementAddress: to, nonce, deadline };
      const { body, data } = await signInputPermit(account, permit);
      signed.push({ recordId, body, to, data });
    }
  }
  return signed;
}
