import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { setQuota } from '../../../src/records/quotas/quotas.ts';
import { createCall } from '../support/call.ts';
import { deploymentPath } from '../support/deployments.ts';
import { outcome } from '../support/outcome.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi, type TestPrincipal } from '../support/testService.ts';
import { type DeploymentScene, startDeploymentScene } from './support/deploymentScene.ts';

let scene: DeploymentScene;
beforeAll(async () => {
  scene = await startDeploymentScene();
});
afterAll(() => scene?.close());

const upper = (digit: string) => digit.toUpperCase();

describe('the same permit again', () => {
  test('leads to the same record, whatever else is said with it', async () => {
    const { body } = await scene.prepare();
    const first = await scene.deploy({ ...body, documentId: 'once' });
    const rows = await scene.service.countRows();
    const other = {
      displayName: 'Other',
      documentId: 'once',
      observers: ['x@y.example'],
      initValues: { ...body.initValues, remark: 'z'.repeat(99) },
    };
    const again = await scene.deploy({ ...body, ...other });
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(first.body.data);
    expect(await scene.service.countRows()).toEqual(rows);
  });

  test('leads to the same record while its chain is not followed, and to none for another principal', async () => {
    const { body } = await scene.prepare();
    const first = await scene.deploy(body);
    const { baseUrl, close } = await startTestApi(scene.service.databaseUrl, {
      env: { CHAINS: '84532', DEPLOY_WAIT_MS: '1' },
    });
    const other = await scene.service.createPrincipal();
    const [again, ofOther, fresh] = await Promise.all([
      createCall(baseUrl, scene.principal.key)('POST', deploymentPath, { body }),
      createCall(baseUrl, other.key)('POST', deploymentPath, { body }),
      createCall(baseUrl, scene.principal.key)('POST', deploymentPath, {
        body: (await scene.prepare()).body,
      }),
    ]);
    await close();
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    for (const refused of [ofOther, fresh])
      expect(outcome(refused)).toMatchObject({ status: 400, details: { reason: 'unsupported_chain' } });
  });

  test('leads to one record, also when both come at once', async () => {
    const { body } = await scene.prepare();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => scene.deploy({ ...body, documentId: body.signer })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body: { data } }) => recordShape.parse(data).id)).size).toBe(1);
  });

  test('leads to the same record after its nonce is used up', async () => {
    const { account, body } = await scene.prepare();
    const first = await scene.deploy(body);
    await scene.chain.send(scene.chain.factory, (await scene.findTransaction(account.address)).call_data);
    expect((await scene.deploy(body)).body.data).toEqual(first.body.data);
    const { v, r, s } = body.signature;
    const inCapitals = { v, r: r.replace(/[a-f]/g, upper), s: s.replace(/[a-f]/g, upper) };
    expect((await scene.deploy({ ...body, signature: inCapitals })).body.data).toEqual(first.body.data);
  });

  test('of another principal makes a record of its own and no other transaction', async () => {
    const { body } = await scene.prepare();
    const other = await scene.service.createPrincipal();
    const [first, second] = [
      await scene.deploy(body),
      await scene.deploy({ ...body, displayName: 'Mine' }, other),
    ];
    expect(second.status).toBe(200);
    expect(second.body.data).toMatchObject({ displayName: 'Mine', status: 'Draft' });
    expect(recordShape.parse(second.body.data).id).not.toBe(recordShape.parse(first.body.data).id);
    expect((await scene.findTransaction(body.signer)).state).toBe('accepted');
  });

  const fail = (signer: string) =>
    scene.service.handle.pool.query(
      `with failed as (update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}'
         where signer = $1 returning id)
       update service.records set error = '{"reason":"x","message":"y"}' from failed where deploy_transaction_id = failed.id`,
      [signer],
    );

  test('reopens a record whose transaction had failed, while the permit is valid', async () => {
    const { body } = await scene.prepare();
    const first = await scene.deploy(body);
    await fail(body.signer);
    const again = recordShape.parse((await scene.deploy(body)).body.data);
    expect(again.id).toBe(recordShape.parse(first.body.data).id);
    expect(again.onChain.error).toBeUndefined();
    expect((await scene.findTransaction(body.signer)).state).toBe('accepted');
  });

  test('of a failed transaction is not sent again beyond the quota', async () => {
    const { body } = await scene.prepare();
    const { database, pool } = scene.service.handle;
    const used = await scene.service.createPrincipal();
    await setQuota(database, { principal: used.id, quota: 'openTransactions', value: 0 });
    await scene.deploy(body);
    await fail(body.signer);
    await pool.query('update service.records set principal_id = $1 where owner = $2', [used.id, body.signer]);
    expect(outcome(await scene.deploy(body, used))).toMatchObject({
      status: 429,
      details: { reason: 'quota_exceeded', quota: 'openTransactions' },
    });
    expect((await scene.findTransaction(body.signer)).state).toBe('failed');
  });

  test('of a failed transaction leaves the record of another principal as it is', async () => {
    const { body } = await scene.prepare();
    const other = await scene.service.createPrincipal();
    await scene.deploy(body);
    await scene.deploy(body, other);
    const { id } = await scene.findTransaction(body.signer);
    await scene.service.handle.pool.query(
      `with failed as (
         update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}' where id = $1 returning id)
       update service.records set error = '{"reason":"x","message":"y"}' where deploy_transaction_id in (select id from failed)`,
      [id],
    );
    await scene.deploy(body);
    expect((await scene.findTransaction(body.signer)).state).toBe('accepted');
    const { rows } = await scene.service.handle.pool.query(
      'select principal_id as of from service.records where deploy_transaction_id = $1 and error is not null',
      [id],
    );
    expect(rows).toEqual([{ of: other.id }]);
  });

  test('that has failed for one principal, and waits for another, shows in the nonces of the other alone', async () => {
    const { body } = await scene.prepare();
    const other = await scene.service.createPrincipal();
    await scene.deploy(body);
    await fail(body.signer);
    await scene.deploy(body, other);
    expect((await scene.findTransaction(body.signer)).state).toBe('accepted');
    const { agreement, initValues, signer, docUri } = body;
    // With the same deadline it would be the open permit itself.
    const asked = { agreement, chainId, initValues, signer, docUri, deadline: body.deadline - 60 };
    const ask = async ({ call }: Pick<TestPrincipal, 'call'>) =>
      outcome(await call('POST', '/v0/agreements/deploy-typed-data', { body: asked }));
    expect(await ask(other)).toMatchObject({ status: 409, details: { reason: 'nonce_in_flight' } });
    expect(await ask(scene.principal)).toMatchObject({ status: 200 });
  });

  test.each(['mined', 'final'])(
    'that is %s by now is refused to another principal, and nothing is stored',
    async (state) => {
      const { body } = await scene.prepare();
      await scene.deploy(body);
      const { pool } = scene.service.handle;
      await pool.query('update service.transactions set state = $1 where signer = $2', [state, body.signer]);
      const other = await scene.service.createPrincipal();
      const before = await scene.service.countRows();
      const refusal = { status: 409, details: { reason: 'stale_nonce', signedNonce: '0' } };
      expect(outcome(await scene.deploy(body, other))).toMatchObject(refusal);
      expect(await scene.service.countRows()).toEqual(before);
      expect((await scene.findTransaction(body.signer)).state).toBe(state);
    },
  );

  test('says why the record failed, once the permit is no longer valid', async () => {
    const { body } = await scene.prepare();
    await scene.deploy(body);
    await scene.chain.send(scene.chain.factory, (await scene.findTransaction(body.signer)).call_data);
    await fail(body.signer);
    const { status, body: again } = await scene.deploy(body);
    expect(status).toBe(200);
    expect(recordShape.parse(again.data).onChain.error).toEqual({ reason: 'x', message: 'y' });
    expect((await scene.findTransaction(body.signer)).state).toBe('failed');
  });
});
