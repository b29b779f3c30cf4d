import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningLinkShape } from '../../src/api/shapes/sharingShapes.ts';
import { listKeys, revokeKey } from '../../src/records/principals/apiKeys.ts';
import { createDisturbedNode } from '../support/relayNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type EvidenceWorld, startEvidenceWorld } from './support/evidenceWorld.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi } from './support/testService.ts';

let world: EvidenceWorld;
beforeAll(async () => {
  world = await startEvidenceWorld();
});
afterAll(() => world?.close());

test('evidence that is complete after its reader has lost access is not handed out', async () => {
  const { principal, service } = world;
  const { database } = service.handle;
  const { id } = await world.playDirectLease();
  await world.catchUp();
  const made = await principal.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'read' } });
  const link = newSigningLinkShape.parse(made.body.data);
  const held = Promise.withResolvers<undefined>();
  const node = await createDisturbedNode(world.chain.rpcUrl, ({ method }) =>
    method === 'eth_getProof' ? held.promise : undefined,
  );
  const api = await startTestApi(service.databaseUrl, {
    rpcUrls: { [chainId]: node.url },
    env: { EVIDENCE_WAIT_MS: '120000' },
  });
  const ask = (path: string, headers: Record<string, string>) =>
    fetch(`${api.baseUrl}/v0${path}`, { headers });
  const byKey = { 'x-api-key': principal.key };
  const byLink = { 'x-agreements-link': new URL(link.url).hash.slice(1) };
  try {
    const beganAt = performance.now();
    const reading = [
      ask(`/agreements/${id}/evidence`, byKey),
      ask(`/agreements/${id}/evidence`, { ...byKey, accept: 'text/html' }),
      ask('/shared/agreement/evidence', byLink),
    ];
    await waitUntil('the evidence is collected', async () => node.count('eth_getProof') > 0);
    await principal.call('DELETE', `/v0/agreements/${id}/links/${link.id}`);
    const [key] = (await listKeys(database)).filter(({ principalId }) => principalId === principal.id);
    await revokeKey(database, String(key?.id));
    await waitUntil('the key is refused', async () => (await ask('/agreements', byKey)).status === 401);
    await waitUntil('the evidence is late', async () => performance.now() - beganAt > 200);
    held.resolve(undefined);
    const answers = await Promise.all(reading);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  } finally {
    held.resolve(undefined);
    await api.close();
    await node.close();
  }
});
