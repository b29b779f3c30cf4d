import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { parseAddress } from '../../../src/protocol/index.ts';
import { signDeployPermit, signInputPermit } from '../../support/permits.ts';
import { createSingleCallClient, isAway } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Chain } from './chain.ts';
import { rally } from './rally.ts';
import type { Stack } from './stack.ts';

export type Agreement = { id: string; address: Address };

const retryPauseMs = 250;
const patienceMs = 300_000;

export async function deployAgreement({ baseUrl, apiKey }: Stack, chain: Chain): Promise<Agreement> {
  const service = createSingleCallClient({ baseUrl, apiKey });
  const documentId = randomUUID();
  const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
  const { client, chainId, factory } = chain;
  const account = privateKeyToAccount(generatePrivateKey());
  const permit = await signDeployPermit({
    ...{ client, chainId, factory, account, docUri },
    agreement: rally,
    values: {},
  });
  const body = { agreement: rally, chainId, docUri, documentId, displayName: 'Rally', ...permit };
  const { id } = await insist(() => service.agreements.deployWithPermit(body));
  return waitUntil(
    `${id} is deployed`,
    async () => {
      const record = await service.agreements.get(id);
      const address = parseAddress(record.address);
      return record.status === 'Deployed' && address ? { id, address } : undefined;
    },
    patienceMs,
  );
}

/** Sends a hit through the service with a new wallet, until the service answers with success. */
export async function submitHit(
  { baseUrl, apiKey }: Stack,
  { chain, agreement }: { chain: Chain; agreement: Agreement },
): Promise<void> {
  const service = createSingleCallClient({ baseUrl, apiKey });
  const values = { note: randomUUID() };
  const permit = await signInputPermit({
    client: chain.client,
    chainId: chain.chainId,
    agreementAddress: agreement.address,
    agreement: rally,
    inputId: 'hit',
    values,
    account: privateKeyToAccount(generatePrivateKey()),
  });
  const body = { inputId: 'hit', values, ...permit };
  await insist(() => service.agreements.submitInput(agreement.id, body));
}

/** Sends the same permit again while the service is away, or if no relayer signs for it in time. */
async function insist<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isAway(error) || performance.now() > giveUpAt) throw error;
      await delay(retryPauseMs);
    }
  }
}
