import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleStory } from '../../src/api/http/exampleStory.ts';
import { readContract } from './support/apiContract.ts';
import { deployDirectly } from './support/directDeployment.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { runExamples } from './support/runExamples.ts';

let setting: IndexedService & { close(): Promise<void> };
beforeAll(async () => {
  setting = await startIndexedService({ DEPLOY_WAIT_MS: '120000', CONSISTENCY_WAIT_MS: '120000' });
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
  const runs = await runExamples(baseUrl, {
    key,
    before: {
      importAgreement: async () =>
        expect(await deployDirectly(chain, { agreement, values })).toBe(adoption.address),
    },
  });
  const { document } = await readContract(baseUrl);
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(operations).size).toBe(operations.length);
  expect(runs.map(({ operationId }) => operationId).toSorted()).toEqual(operations.toSorted());
});
