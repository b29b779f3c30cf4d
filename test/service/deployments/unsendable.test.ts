import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall } from '../support/call.ts';
import { deploymentPath } from '../support/deployments.ts';
import { outcome } from '../support/outcome.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi } from '../support/testService.ts';
import { type DeploymentScene, startDeploymentScene } from './support/deploymentScene.ts';

let scene: DeploymentScene;
beforeAll(async () => {
  scene = await startDeploymentScene();
});
afterAll(() => scene?.close());

describe('a deployment is refused and nothing is stored', () => {
  test('where no wallet can send it', async () => {
    const setStatus = (status: string) =>
      scene.service.handle.pool.query('update service.relayer_wallets set status = $1', [status]);
    await setStatus('unfunded');
    const before = await scene.service.countRows();
    const answer = await scene.deploy((await scene.prepare()).body);
    expect(outcome(answer)).toMatchSnapshot();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await scene.service.countRows()).toEqual(before);
    await setStatus('active');
  });

  test('where no wallet can pay it, though smaller ones are sent', async () => {
    const setGas = (gas: number | null) =>
      scene.service.handle.pool.query('update service.relayer_wallets set payable_gas = $1', [gas]);
    await setGas(100_000);
    const before = await scene.service.countRows();
    const answer = await scene.deploy((await scene.prepare()).body);
    expect(outcome(answer)).toMatchObject({
      status: 503,
      details: {
        reason: 'relayer_unfunded',
        chainId,
        payableGas: '100000',
        gas: expect.stringMatching(/^\d{6,}$/),
      },
    });
    expect(await scene.service.countRows()).toEqual(before);
    await setGas(null);
    expect((await scene.deploy((await scene.prepare()).body)).status).toBe(200);
  });

  test('where nobody has looked after the wallet for long', async () => {
    const saySince = (since: string) =>
      scene.service.handle.pool.query(
        `update service.relayer_wallets set updated_at = now() - $1::interval, lease_until = now() - $1::interval`,
        [since],
      );
    await saySince('2 minutes');
    const before = await scene.service.countRows();
    const refused = await scene.deploy((await scene.prepare()).body);
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { details: { reason: 'relayer_unfunded' } } },
    });
    expect(await scene.service.countRows()).toEqual(before);
    // Twenty seconds may be a restart of the worker, so the API still accepts.
    await saySince('20 seconds');
    expect((await scene.deploy((await scene.prepare()).body)).status).toBe(200);
    await saySince('-1 day');
  });

  test('where the chain does not answer', async () => {
    const cutOff = await startTestApi(scene.service.databaseUrl, {});
    const before = await scene.service.countRows();
    const { body } = await scene.prepare();
    const answer = await createCall(cutOff.baseUrl, scene.principal.key)('POST', deploymentPath, { body });
    expect(outcome(answer)).toMatchSnapshot();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    expect(await scene.service.countRows()).toEqual(before);
    await cutOff.close();
  });

  test('only where all endpoints of the chain are gone', async () => {
    const rpcUrls = { [chainId]: `http://127.0.0.1:9,${scene.chain.rpcUrl}` };
    const api = await startTestApi(scene.service.databaseUrl, { rpcUrls, env: { DEPLOY_WAIT_MS: '1' } });
    const { body } = await scene.prepare();
    expect(
      (await createCall(api.baseUrl, scene.principal.key)('POST', deploymentPath, { body })).status,
    ).toBe(200);
    await api.close();
  });
});
