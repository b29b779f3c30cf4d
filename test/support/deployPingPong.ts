import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { pingPong } from '../../bench/pingPong.ts';
import { signDeployPermit } from '../../src/api/demo/permits.ts';
import { recordShape } from '../../src/api/demo/served.ts';
import { createServiceClient } from '../../src/api/demo/serviceClient.ts';
import type { ServiceStack } from './serviceStack.ts';
import { waitUntil } from './waitUntil.ts';

const patienceMs = 300_000;

/** Has an API deploy an agreement by the permit of a new account, and waits until it is on the chain. */
export async function deployPingPong(
  { chainId, factory, reader: client, apiKey }: ServiceStack,
  {
    baseUrl,
    ...details
  }: { baseUrl: string; displayName: string; notificationTemplate?: Readonly<Record<string, unknown>> },
) {
  const service = createServiceClient({ baseUrl, apiKey });
  const account = privateKeyToAccount(generatePrivateKey());
  const documentId = randomUUID();
  const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
  const signing = { client, chainId, factory, agreement: pingPong, docUri, values: {}, account };
  const body = { agreement: pingPong, chainId, docUri, documentId, ...details };
  const permit = await signDeployPermit(signing);
  const { id } = await service.post('/agreements/deploy-with-permit', { ...body, ...permit }, recordShape);
  const address = await waitUntil(
    'the agreement is deployed',
    async () => (await service.get(`/agreements/${id}`, recordShape)).address,
    patienceMs,
  );
  return { id, address, account };
}
