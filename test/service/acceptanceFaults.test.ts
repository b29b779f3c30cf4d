import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type CutProxy, createCutProxy } from '../support/cutProxy.ts';
import { createFullDisk } from '../support/fullDisk.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Call, createCall } from './support/call.ts';
import { deploymentPath, findDeployment, prepareDeployment } from './support/deployments.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import { startTestApi, startTestService, type TestApi, type TestService } from './support/testService.ts';

const env = { DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '1' };

let chain: TestChain;
let service: TestService;
let proxy: CutProxy;
let api: TestApi;
let call: Call;
beforeAll(async () => {
  chain = await startTestChain();
  const rpcUrls = { [chainId]: chain.rpcUrl };
  service = await startTestService({ rpcUrls, env });
  await offerWallet(service, chain);
  const principal = await service.createPrincipal();
  proxy = await createCutProxy(service.databaseUrl);
  api = await startTestApi(proxy.url, { rpcUrls, env });
  call = createCall(api.baseUrl, principal.key);
});
afterEach(() => proxy.stopCutting());
afterAll(async () => {
  await api.close();
  await proxy.close();
  await service.close();
  await chain.stop();
});

/** Only the deployment's own transaction: the service also commits usage, for example. */
const containing = 'insert into "service"."records"';

const deploy = (body: unknown) => call('POST', deploymentPath, { body });

async function countOf(signer: string): Promise<{ transactions: number; records: number }> {
  const { rows } = await service.handle.pool.query(
    `select count(distinct t.id)::int as transactions, count(r.id)::int as records from service.transactions t
     left join service.records r on r.deploy_transaction_id = t.id where t.signer = $1`,
    [signer],
  );
  return rows[0];
}

const recordShape = z.object({ id: z.string() });

/** Repeats a request until it succeeds, like a client that must be sure. Returns the record's id. */
function insist(body: unknown): Promise<string> {
  return waitUntil('it is answered with success', async () => {
    const answer = await deploy(body);
    return answer.status === 200 && recordShape.parse(answer.body.data).id;
  });
}

describe('a request whose database connection breaks', () => {
  test('before the commit has stored nothing, and is stored when it comes again', async () => {
    const body = await prepareDeployment(chain);
    const cuts = proxy.count();
    proxy.cutNext('beforeCommit', { containing });
    const { status, headers } = await deploy(body);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(proxy.count()).toBe(cuts + 1);
    expect(await countOf(body.signer)).toEqual({ transactions: 0, records: 0 });
    const id = await insist(body);
    expect(await findDeployment(service, body.signer)).toBe(id);
  });

  test('after the commit gets no success, and finds its stored result when it comes again', async () => {
    const body = await prepareDeployment(chain);
    proxy.cutNext('afterCommit', { containing });
    expect((await deploy(body)).status).toBe(503);
    expect(await countOf(body.signer)).toEqual({ transactions: 1, records: 1 });
    const stored = await findDeployment(service, body.signer);
    expect(await insist(body)).toBe(stored);
    expect(await countOf(body.signer)).toEqual({ transactions: 1, records: 1 });
  });
});

test('a request for which the database has no room stores nothing, and is stored once there is room', async () => {
  const disk = await createFullDisk(service.handle.pool, { table: 'service.records', wanted: 'raised' });
  const body = await prepareDeployment(chain);
  await disk.fill();
  const { status, headers } = await deploy(body);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('1');
  expect(await countOf(body.signer)).toEqual({ transactions: 0, records: 0 });
  await disk.free();
  await insist(body);
  expect(await countOf(body.signer)).toEqual({ transactions: 1, records: 1 });
});
