import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deploymentPath, findDeployment, prepareDeployment } from './support/deployments.ts';
import { countKeys, createKeyedCall, isReplayed, type KeyedCall } from './support/keyedCall.ts';
import { outcome } from './support/outcome.ts';
import { endReplica, type Replica, startReplica } from './support/replica.ts';
import { type StandInWorker, startStandInWorker } from './support/standInWorker.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import {
  startTestApi,
  startTestService,
  type TestApi,
  type TestPrincipal,
  type TestService,
} from './support/testService.ts';

let chain: TestChain;
let service: TestService;
let second: TestApi;
let worker: StandInWorker;
let principal: TestPrincipal;
let callWith: KeyedCall;
const replicas: Replica[] = [];
beforeAll(async () => {
  chain = await startTestChain();
  const rpcUrls = { [chainId]: chain.rpcUrl };
  service = await startTestService({ rpcUrls });
  second = await startTestApi(service.databaseUrl, { rpcUrls });
  await offerWallet(service, chain);
  worker = await startStandInWorker(service, chain);
  principal = await service.createPrincipal();
  callWith = createKeyedCall(service, principal);
});
afterAll(async () => {
  for (const replica of replicas) await endReplica(replica);
  await worker?.stop();
  await second?.close();
  await service?.close();
  await chain?.stop();
});

/** Answers a deployment before the chain shows it. */
function startImpatient(): Promise<TestApi> {
  const rpcUrls = { [chainId]: chain.rpcUrl };
  return startTestApi(service.databaseUrl, { rpcUrls, env: { DEPLOY_WAIT_MS: '1' } });
}

describe('a request that is sent again with its key', () => {
  test('is answered as before, by every replica', async () => {
    const key = randomUUID();
    const first = await callWith(key);
    expect([first.status, isReplayed(first)]).toEqual([200, false]);
    const again = await callWith(key, { baseUrl: second.baseUrl });
    expect([again.status, isReplayed(again)]).toEqual([200, true]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('x-request-id')).toBe(first.body.meta?.requestId);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('cache-control')).toBe('no-store');
  });

  test('is answered under the request id that it names, in header and body', async () => {
    const { baseUrl, close } = await startImpatient();
    const deployment = { path: deploymentPath, body: await prepareDeployment(chain), baseUrl };
    for (const request of [{}, deployment]) {
      const key = randomUUID();
      const first = await callWith(key, { ...request, headers: { 'x-request-id': 'requestId' } });
      for (const requestId of ['trace-2', 'a-longer-request-id']) {
        const again = await callWith(key, { ...request, headers: { 'x-request-id': requestId } });
        expect(again.headers.get('x-request-id')).toBe(requestId);
        expect(again.body).toEqual({ ...first.body, meta: { ...first.body.meta, requestId } });
      }
    }
    await close();
  });

  test('gets the original answer, even if it is no longer true', async () => {
    const key = randomUUID();
    const body = await prepareDeployment(chain);
    const impatient = await startImpatient();
    const first = await callWith(key, { path: deploymentPath, body, baseUrl: impatient.baseUrl });
    await impatient.close();
    expect(first.body.data).toMatchObject({ status: 'Draft' });
    const { id } = recordShape.parse(first.body.data);
    await worker.fold(id);
    expect((await principal.call('GET', `/v0/agreements/${id}`)).body.data).toMatchObject({
      status: 'Deployed',
    });
    expect((await callWith(key, { path: deploymentPath, body })).body).toEqual(first.body);
    // Without the key this is a separate request. Its permit leads to the same record.
    const fresh = await principal.call('POST', deploymentPath, { body });
    expect(fresh.body.data).toMatchObject({ id, status: 'Deployed' });
  });

  test('is refused as before', async () => {
    const key = randomUUID();
    const missing = { path: `/v0/webhooks/wh_${'0'.repeat(32)}/test` };
    const first = await callWith(key, missing);
    expect(first.status).toBe(404);
    const again = await callWith(key, missing);
    expect(isReplayed(again)).toBe(true);
    expect([again.status, again.body]).toEqual([404, first.body]);
  });

  test.each([
    ['a malformed body', 400, { text: '{' }],
    ['an invalid document', 400, { body: { metadata: {} } }],
    ['a body of another type', 415, { headers: { 'content-type': 'text/plain' } }],
  ])('may be corrected after %s, of which nothing was stored', async (_name, status, wrong) => {
    const key = randomUUID();
    expect((await callWith(key, wrong)).status).toBe(status);
    expect(await countKeys(service, key)).toBe(0);
    const corrected = await callWith(key);
    expect([corrected.status, isReplayed(corrected)]).toEqual([200, false]);
  });

  test('is carried out again after a failure of the service', async () => {
    const key = randomUUID();
    const body = await prepareDeployment(chain);
    const cutOff = await startTestApi(service.databaseUrl, { env: { RPC_TIMEOUT_MS: '200' } });
    const first = await callWith(key, { path: deploymentPath, body, baseUrl: cutOff.baseUrl });
    await cutOff.close();
    expect(first.status).toBe(503);
    // It might have taken effect: the key stays the request's own.
    expect(await countKeys(service, key)).toBe(1);
    expect((await callWith(key)).status).toBe(409);
    // So it does if its repeat is refused before it runs.
    const headers = { 'content-type': 'text/plain' };
    expect((await callWith(key, { path: deploymentPath, body, headers })).status).toBe(415);
    expect(await countKeys(service, key)).toBe(1);
    expect((await callWith(key)).status).toBe(409);
    const work = callWith(key, { path: deploymentPath, body });
    const id = await waitUntil('the deployment is stored', () => findDeployment(service, body.signer));
    await worker.fold(id);
    const again = await work;
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
  });

  test('is carried out again after 24 hours', async () => {
    const key = randomUUID();
    const first = await callWith(key);
    await service.handle.pool.query(
      `update service.idempotency_keys set expires_at = now() where key = $1 and expires_at between
         now() + interval '23:59:00' and now() + interval '24:00:00'`,
      [key],
    );
    const again = await callWith(key);
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
    expect(again.body.meta?.requestId).not.toBe(first.body.meta?.requestId);
  });
});

describe('a request that is at work', () => {
  test('is not begun a second time, on no replica', async () => {
    const key = randomUUID();
    const body = await prepareDeployment(chain);
    const before = await service.countRows();
    const work = callWith(key, { path: deploymentPath, body });
    const id = await waitUntil('the deployment is stored', () => findDeployment(service, body.signer));
    for (const { baseUrl } of [service, second]) {
      const refused = await callWith(key, { path: deploymentPath, body, baseUrl });
      expect(outcome(refused)).toEqual({
        status: 409,
        code: 'conflict',
        message: 'An earlier request with this Idempotency-Key is still running.',
        details: { field: 'Idempotency-Key' },
      });
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    await worker.fold(id);
    const first = await work;
    expect(first.body.data).toMatchObject({ id, status: 'Deployed' });
    expect((await callWith(key, { path: deploymentPath, body })).body).toEqual(first.body);
    const after = await service.countRows();
    expect(after.records).toBe(Number(before.records) + 1);
  });

  test('keeps its key for as long as it takes, and not much longer when its process is killed', async () => {
    const key = randomUUID();
    const body = await prepareDeployment(chain);
    const replica = await startReplica(service, chain.rpcUrl);
    replicas.push(replica);
    const { program, baseUrl } = replica;
    callWith(key, { path: deploymentPath, body, baseUrl }).catch(() => {});
    const id = await waitUntil('the deployment is stored', () => findDeployment(service, body.signer));
    const leaseEnds = await readLease(key);
    await waitUntil('the lease is renewed', async () => (await readLease(key)) > leaseEnds);

    program.signal('SIGKILL');
    await program.exited;
    expect((await callWith(key, { path: deploymentPath, body })).status).toBe(409);
    await worker.fold(id);
    await endLease(key);
    const again = await waitUntil('the key is free', async () => {
      const answer = await callWith(key, { path: deploymentPath, body });
      return answer.status === 409 ? undefined : answer;
    });
    expect(again.body.data).toMatchObject({ id, status: 'Deployed' });
    expect(isReplayed(again)).toBe(false);
    expect(isReplayed(await callWith(key, { path: deploymentPath, body }))).toBe(true);
  });
});

/** Ends the lease now. Nobody renews it any more, so it would end within ten seconds anyway. */
async function endLease(key: string): Promise<void> {
  const { rowCount } = await service.handle.pool.query(
    `update service.idempotency_keys set lease_until = now() where key = $1 and lease_until <= now() + interval '10 seconds'`,
    [key],
  );
  expect(rowCount).toBe(1);
}

async function readLease(key: string): Promise<number> {
  const { rows } = await service.handle.pool.query<{ lease_until: Date }>(
    'select lease_until from service.idempotency_keys where key = $1',
    [key],
  );
  return rows[0]?.lease_until.getTime() ?? 0;
}
