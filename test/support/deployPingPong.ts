import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { pingPong } from '../../bench/pingPong.ts';
import { parseAddress } from '../../src/protocol/index.ts';
import { patienceMs } from './patience.ts';
import { signDeployPermit } from './permits.ts';
import type { ServiceStack } from './serviceStack.ts';
import { createSingleCallClient } from './singleCalls.ts';
import { waitUntil } from './waitUntil.ts';

/** Deploys an agreement through an API with a new account's permit, and waits until it is on the chain. */
export async function deployPingPong(
  { chainId, factory, reader: client, apiKey }: ServiceStack,
  {
    baseUrl,
    ...details
  }: { baseUrl: string; displayName: string; notificationTemplate?: Readonly<Record<string, unknown>> },
) {
  const service = createSingleCallClient({ baseUrl, apiKey });
  const account = privateKeyToAccount(generatePrivateKey());
  const documentId = randomUUID();
  const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
  const signing = { client, chainId, factory, agreement: pingPong, docUri, values: {}, account };
  const body = { agreement: pingPong, chainId, docUri, documentId, ...details };
  const permit = await signDeployPermit(signing);
  const { id } = await service.agreements.deployWithPermit({ ...body, ...permit });
  const address = await waitUntil(
    'the agreement is deployed',
    async () => parseAddress((await service.agreements.get(id)).address),
    patienceMs,
  );
  return { id, address, account };
}
