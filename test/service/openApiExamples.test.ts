import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { exampleStory } from '../../src/api/openapi/exampleStory.ts';
import { summaryShape } from '../../src/api/shapes/resources.ts';
import { newPortalLinkShape } from '../../src/api/shapes/sessionShapes.ts';
import { newSigningLinkShape } from '../../src/api/shapes/sharingShapes.ts';
import { walletChallengeShape } from '../../src/api/shapes/walletShapes.ts';
import { readContract } from './support/apiContract.ts';
import { createCall } from './support/call.ts';
import { deployDirectly } from './support/directDeployment.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { createAccount } from './support/permits.ts';
import { runExamples } from './support/runExamples.ts';

/**
 * Calls every operation, and waits for the index after each write. That takes up to half a minute on an idle
 * machine.
 */
vi.setConfig({ testTimeout: 180_000 });

let setting: IndexedService & { close(): Promise<void> };
beforeAll(async () => {
  setting = await startIndexedService({
    DEPLOY_WAIT_MS: '120000',
    CONSISTENCY_WAIT_MS: '120000',
    // The permits in the examples are valid until 2100.
    MAX_PERMIT_LIFETIME_SECONDS: '10000000000',
    // No worker sends the test of a webhook, so the answer waits in vain: for this time and its margin.
    WEBHOOK_TIMEOUT_MS: '1',
  });
});
afterAll(() => setting?.close());

test('the examples of all operations work as they stand, one after the other', async () => {
  const { chain, service } = setting;
  const { baseUrl } = service;
  const { key } = await service.createPrincipal();
  const { agreement, adoption, deployment } = exampleStory;
  const parties = deployment.participants.map(({ variableKey, walletAddress }) => [
    variableKey,
    walletAddress,
  ]);
  const values = { ...Object.fromEntries(parties), ...deployment.initValues };
  const call = createCall(baseUrl, key);
  const idIn = z.object({ id: z.string() });
  const shareDraft = async () => {
    const listed = await call('GET', '/v0/agreements?limit=100');
    const [draft] = summaryShape
      .array()
      .parse(listed.body.data)
      .filter(({ status }) => status === 'Draft');
    const answer = await call('POST', `/v0/agreements/${draft?.id}/links`, { body: { may: 'sign' } });
    return new URL(newSigningLinkShape.parse(answer.body.data).url).hash.slice(1);
  };
  const signChallenge = async () => {
    const wallet = createAccount();
    const headers = { 'x-agreements-session': '1' };
    const body = { wallet: wallet.address };
    const made = await createCall(baseUrl)('POST', '/v0/wallet/challenges', { body, headers });
    const { id: challengeId, message } = walletChallengeShape.parse(made.body.data);
    return { challengeId, signature: await wallet.signMessage({ message }) };
  };
  const makePortalLink = async () => {
    const answer = await call('POST', '/v0/sessions/links');
    return new URL(newPortalLinkShape.parse(answer.body.data).url).hash.slice(1);
  };
  const prepareAnother = async () => {
    const { docUri: _, documentId: __, ...prepared } = exampleStory.preparedDeployment;
    const answer = await call('POST', '/v0/agreements/drafts', { body: prepared });
    return idIn.parse(answer.body.data).id;
  };
  const runs = await runExamples(baseUrl, {
    key,
    before: {
      importAgreement: async () => {
        expect(await deployDirectly(chain, { agreement, values })).toBe(adoption.address);
        return undefined;
      },
      makeSharedDeployTypedData: async () => ({ link: await shareDraft() }),
      previewPortalLink: async () => ({ body: { link: await makePortalLink() } }),
      createWalletSession: async () => ({ body: await signChallenge() }),
      // By this time the draft of the examples is signed.
      withdrawDraft: async () => ({ path: `/v0/agreements/drafts/${await prepareAnother()}` }),
    },
  });
  const { document } = await readContract(baseUrl);
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(operations).size).toBe(operations.length);
  expect(runs.map(({ operationId }) => operationId).toSorted()).toEqual(operations.toSorted());
});
