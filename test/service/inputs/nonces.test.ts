import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { nameHash } from '../../../src/protocol/index.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Answer } from '../support/call.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount } from '../support/permits.ts';
import { accept, type InputScene, startInputScene } from './support/inputScene.ts';

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterAll(() => scene?.close());

test('an input with the nonce after one that is on its way is taken, and comes after it', async () => {
  const other = await scene.deploy();
  const knock = { inputId: 'knock', values: {}, account: createAccount() };
  const countStored = async () => {
    const query = 'select permit_nonce from service.transactions where signer = $1';
    return (await scene.service.handle.pool.query(query, [knock.account.address])).rowCount;
  };
  const sent: Promise<Answer>[] = [];
  await scene.worker.hold(async () => {
    for (const nonce of [0n, 1n, 2n]) {
      sent.push(scene.submit(other.id, (await other.sign({ ...knock, nonce })).body));
      await waitUntil('it is stored', async () => (await countStored()) === sent.length);
    }
    await scene.expectRefused(other, (await other.sign({ ...knock, nonce: 4n })).body, 409, 'future_nonce');
  });
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

describe('an input is refused and nothing is stored', () => {
  test('with a nonce that is used up, or whose turn has not come', async () => {
    const other = await scene.deploy();
    const account = createAccount();
    const knock = { inputId: 'knock', values: {}, account };
    await scene.submit(other.id, (await other.sign(knock)).body);
    const stale = await other.sign({ ...knock, deadline: Math.floor(Date.now() / 1000) + 99 });
    const refusal = await scene.expectRefused(other, stale.body, 409, 'stale_nonce');
    expect(refusal.details).toMatchObject({ signedNonce: '0', currentNonce: '1' });
    const future = await scene.expectRefused(
      other,
      (await other.sign({ ...knock, nonce: 2n })).body,
      409,
      'future_nonce',
    );
    expect(future.details).toMatchObject({ signedNonce: '2', currentNonce: '1' });
  });

  test('while another permit of the signer with this nonce is on its way', async () => {
    const other = await scene.deploy();
    const account = createAccount();
    const knock = { inputId: 'knock', values: {}, account };
    const first = await other.sign(knock);
    const second = await other.sign({ ...knock, deadline: first.body.deadline + 1 });
    const isStored = async () => {
      const { rows } = await scene.service.handle.pool.query(
        'select 1 from service.transactions where signer = $1',
        [account.address],
      );
      return rows.length === 1;
    };
    let sent: Promise<Answer> | undefined;
    await scene.worker.hold(async () => {
      sent = scene.submit(other.id, first.body);
      await waitUntil('the first permit is stored', isStored);
      const refusal = outcome(await scene.submit(other.id, second.body));
      expect(refusal).toMatchObject({ status: 409, details: { reason: 'nonce_in_flight', nonce: '0' } });
    });
    expect((await sent)?.status).toBe(200);
  });

  test('while a permit of the signer with this nonce, which came by another way, waits to be mined', async () => {
    const other = await scene.deploy();
    const knock = { inputId: 'knock', values: {}, account: createAccount() };
    const first = await other.sign(knock);
    const second = await other.sign({ ...knock, deadline: first.body.deadline + 1 });
    await scene.whileNothingIsMined(async () => {
      await scene.sendUnmined(other, first);
      const refusal = await scene.expectRefused(other, second.body, 409, 'nonce_in_flight');
      expect(refusal.details).toMatchObject({ nonce: '0' });
    });
    await scene.expectRefused(other, second.body, 409, 'stale_nonce');
  });

  test('while another input waits to be mined that leaves no transition for it', async () => {
    const other = await scene.deploy();
    const first = await other.sign({ ...accept, account: other.tenant });
    const second = await other.sign({ inputId: 'knock', values: {}, account: createAccount() });
    await scene.whileNothingIsMined(async () => {
      await scene.sendUnmined(other, first);
      expect(await scene.expectRefused(other, second.body, 409, 'state_not_accepting')).toMatchSnapshot();
    });
    const refusal = await scene.expectRefused(other, second.body, 409, 'state_not_accepting');
    expect(refusal.details).toMatchObject({ currentState: 'ACTIVE', acceptingStates: ['OFFERED'] });
  });
});

test('an input that somebody else has brought to the chain is refused as stale, or known', async () => {
  const lease = await scene.deploy();
  const { body, payload } = await lease.sign({ ...accept, account: lease.tenant });
  const { v, r, s } = body.signature;
  const args = [lease.tenant.address, nameHash('accept'), payload, BigInt(body.deadline), v, r, s] as const;
  await scene.chain.send(
    lease.address,
    encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInputWithPermit', args }),
  );
  expect((await scene.submit(lease.id, body)).body.error?.details?.reason).toBe('state_not_accepting');
});
