import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../support/permits.ts';
import { type DeploymentScene, startDeploymentScene } from './support/deploymentScene.ts';

let scene: DeploymentScene;
beforeAll(async () => {
  scene = await startDeploymentScene();
});
afterAll(() => scene?.close());

describe('a deployment is refused and nothing is stored', () => {
  test('with a nonce that is used up, or whose turn has not come', async () => {
    const account = createAccount();
    await scene.deploy((await scene.prepare({ account })).body);
    await scene.chain.send(scene.chain.factory, (await scene.findTransaction(account.address)).call_data);
    const stale = await scene.expectRefused(
      (await scene.prepare({ account, remark: 'b', docUri: 'x:1' })).body,
      409,
      'stale_nonce',
    );
    expect(stale).toMatchSnapshot();
    const future = await scene.expectRefused(
      (await scene.prepare({ account, nonce: 3n })).body,
      409,
      'future_nonce',
    );
    expect(future).toMatchSnapshot();
    await scene.expectRefused((await scene.prepare({ account, nonce: 9n })).body, 409, 'future_nonce');
    await scene.expectRefused((await scene.prepare({ account, nonce: 10n })).body, 400, 'signature_mismatch');
  });

  test('while another permit of the signer with this nonce is on its way', async () => {
    const account = createAccount();
    await scene.deploy((await scene.prepare({ account })).body);
    const refusal = await scene.expectRefused(
      (await scene.prepare({ account, docUri: 'x:2' })).body,
      409,
      'nonce_in_flight',
    );
    expect(refusal).toMatchSnapshot();
  });

  test('while another one is just being stored', async () => {
    const account = createAccount();
    const bodies = await Promise.all(
      ['x:1', 'x:2', 'x:3', 'x:4'].map((docUri) => scene.prepare({ account, docUri })),
    );
    const answers = await Promise.all(bodies.map(({ body }) => scene.deploy(body)));
    const outcomes = answers.map(({ status, body }) => body.error?.details?.reason ?? status).toSorted();
    expect(outcomes).toEqual([200, 'nonce_in_flight', 'nonce_in_flight', 'nonce_in_flight']);
  });
});
