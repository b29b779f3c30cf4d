import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Answer } from '../support/call.ts';
import { type ChainService, startChainService } from '../support/chainService.ts';
import { deploymentPath } from '../support/deployments.ts';
import { buildLease } from '../support/documents.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';

let scene: ChainService;
beforeAll(async () => {
  // Nothing sends what is stored, so each deployment waits for as long as it may.
  scene = await startChainService({ DEPLOY_WAIT_MS: '60000' });
});
afterAll(() => scene?.close());

async function prepare(filling: unknown = 0) {
  const account = createAccount();
  const agreement = { ...buildLease(scene.chain.token), filling };
  const values = { landlord: account.address, tenant: account.address, rent: '5' };
  const permit = await signDeploy({ account, agreement, values, chainId, factory: scene.chain.factory });
  return { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
}

/** Ends all waits: the deployments seem to have failed. */
async function endWaits(sent: readonly Promise<Answer>[]): Promise<void> {
  await scene.service.handle.pool.query(
    `update service.records set error = '{"reason":"reverted","message":"planted"}'`,
  );
  for (const answer of sent) expect((await answer).status).toBe(200);
}

test('a principal with many deployments that wait gets the next Draft at once', async () => {
  const body = await prepare();
  let answered = 0;
  const send = async () => {
    const answer = await scene.principal.call('POST', deploymentPath, { body });
    answered++;
    return answer;
  };
  const sent = Array.from({ length: 103 }, send);
  await waitUntil('three are answered', () => answered === 3);
  const other = await scene.service.createPrincipal();
  const otherBody = await prepare();
  let isOtherAnswered = false;
  const others = other.call('POST', deploymentPath, { body: otherBody }).finally(() => {
    isOtherAnswered = true;
  });
  await waitUntil(
    'the other deployment is stored',
    async () => (await scene.service.countRows()).records === 2,
  );
  expect(await send()).toMatchObject({ status: 200, body: { data: { status: 'Draft' } } });
  expect({ answered, isOtherAnswered }).toEqual({ answered: 4, isOtherAnswered: false });
  await endWaits([...sent, others]);
});

const mebibyte = 1024 * 1024;
/** With a megabyte in memory. */
const manyObjects = Array.from({ length: 18 }, () => Array.from({ length: 1_000 }, () => ({})));
const documents = 20;

test('a deployment that waits does not keep its document in memory, nor with an Idempotency-Key', async () => {
  setFlagsFromString('--expose-gc');
  const collect = z.function().parse(runInNewContext('gc'));
  const bodies = [];
  for (let count = 0; count < documents; count++) bodies.push(JSON.stringify(await prepare(manyObjects)));
  const { records: before = 0 } = await scene.service.countRows();
  const measure = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const idle = measure();
  const early: unknown[] = [];
  const sent = bodies.map(async (text, at) => {
    const headers = at % 2 === 0 ? { 'idempotency-key': `key-${at}` } : {};
    const answer = await scene.principal.call('POST', deploymentPath, { text, headers });
    early.push(outcome(answer));
    return answer;
  });
  await waitUntil('all are stored', async () => {
    expect(early).toEqual([]);
    return (await scene.service.countRows()).records === before + documents;
  });
  await waitUntil('their documents are let go', () => measure() - idle < 8 * mebibyte);
  await endWaits(sent);
  // Twenty documents of a megabyte each are prepared and sent; on a busy machine each takes seconds.
}, 120_000);
