import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { accept, type InputScene, startInputScene } from './inputs/support/inputScene.ts';
import { type Answer, type Call, createCall } from './support/call.ts';
import { deploymentPath } from './support/deployments.ts';
import { buildLease } from './support/documents.ts';
import { deployLease } from './support/leases.ts';
import { createAccount, signDeploy } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi, type TestPrincipal } from './support/testService.ts';

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterAll(() => scene?.close());

/** Runs requests to processes of their own: what they use is stored when these have ended. */
async function withOwnApis<Result>(
  count: number,
  { key }: TestPrincipal,
  run: (calls: readonly Call[]) => Promise<Result>,
): Promise<Result> {
  const env = { DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '1' };
  const rpcUrls = { [chainId]: scene.chain.rpcUrl };
  const apis = await Promise.all(
    Array.from({ length: count }, () => startTestApi(scene.service.databaseUrl, { rpcUrls, env })),
  );
  try {
    return await run(apis.map(({ baseUrl }) => createCall(baseUrl, key)));
  } finally {
    for (const api of apis) await api.close();
  }
}

/** Sends a request to two processes, neither of which sees what the other one stores before it stores itself. */
function sendTwice(by: TestPrincipal, path: string, body: unknown): Promise<Answer[]> {
  return withOwnApis(2, by, async (calls) => {
    const { pool } = scene.service.handle;
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table service.transactions in share mode');
      const sent = calls.map((call) => call('POST', path, { body }));
      await waitUntil('both wait', async () => (await readLockWaits(pool, 'transactions')).length === 2);
      await holder.query('commit');
      return await Promise.all(sent);
    } finally {
      holder.release(true);
    }
  });
}

async function readUsage({ id }: TestPrincipal): Promise<{ storedBytes: number; gas: number }> {
  const { rows } = await scene.service.handle.pool.query<{ storedBytes: number; gas: number }>(
    `select coalesce((select stored_bytes from service.usage_totals where principal_id = $1), 0)::float8 as "storedBytes",
       coalesce((select sum(gas) from service.usage_days where principal_id = $1), 0)::float8 as gas`,
    [id],
  );
  if (!rows[0]) throw new Error('there is no usage');
  return rows[0];
}

async function readEstimate(signer: string): Promise<number> {
  const { rows } = await scene.service.handle.pool.query<{ gas: number }>(
    'select gas_estimate::float8 as gas from service.transactions where signer = $1',
    [signer],
  );
  return rows[0]?.gas ?? 0;
}

async function prepareDeployment() {
  const account = createAccount();
  const agreement = buildLease(scene.chain.token);
  const initValues = { landlord: account.address, tenant: createAccount().address, rent: '5' };
  const { factory } = scene.chain;
  const permit = await signDeploy({ account, agreement, values: initValues, chainId, factory });
  return { agreement, displayName: 'Lease', chainId, initValues, ...permit };
}

const fail = (signer: string) =>
  scene.service.handle.pool.query(
    `with failed as (
       update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}' where signer = $1 returning id),
     inputs as (
       update service.inputs set status = 'FAILED', error = '{"reason":"x","message":"y"}'
       where transaction_id in (select id from failed))
     update service.records set error = '{"reason":"x","message":"y"}' where deploy_transaction_id in (select id from failed)`,
    [signer],
  );

test('a deployment that comes twice at once counts once', async () => {
  const [twice, once] = [await scene.service.createPrincipal(), await scene.service.createPrincipal()];
  await scene.worker.hold(async () => {
    const body = await prepareDeployment();
    const answers = await sendTwice(twice, deploymentPath, body);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await withOwnApis(1, once, ([call = once.call]) => call('POST', deploymentPath, { body }));
    expect((await readUsage(twice)).storedBytes).toBe((await readUsage(once)).storedBytes);
    expect((await readUsage(twice)).gas).toBe(await readEstimate(body.signer));
  });
});

test('a failed deployment that is sent again twice at once counts once more', async () => {
  const principal = await scene.service.createPrincipal();
  await scene.worker.hold(async () => {
    const body = await prepareDeployment();
    await withOwnApis(1, principal, ([call = principal.call]) => call('POST', deploymentPath, { body }));
    const before = await readUsage(principal);
    await fail(body.signer);
    const answers = await sendTwice(principal, deploymentPath, body);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await readUsage(principal)).toEqual({
      storedBytes: before.storedBytes,
      gas: before.gas + (await readEstimate(body.signer)),
    });
  });
});

test('an input that comes twice at once counts once, and so it does when it is sent again', async () => {
  const principal = await scene.service.createPrincipal();
  const lease = await withOwnApis(1, principal, ([call = principal.call]) =>
    deployLease({ ...principal, call }, scene),
  );
  const { body } = await lease.sign({ ...accept, account: lease.tenant });
  const path = `/v0/agreements/${lease.id}/input`;
  await scene.worker.hold(async () => {
    const before = await readUsage(principal);
    await sendTwice(principal, path, body);
    const gas = await readEstimate(body.signer);
    const once = await readUsage(principal);
    expect(once.gas).toBe(before.gas + gas);
    await fail(body.signer);
    await sendTwice(principal, path, body);
    expect(await readUsage(principal)).toEqual({ storedBytes: once.storedBytes, gas: once.gas + gas });
  });
});
