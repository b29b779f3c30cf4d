import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { startTypedDataScene, type TypedDataScene } from './support/typedDataScene.ts';

let scene: TypedDataScene;
beforeAll(async () => {
  scene = await startTypedDataScene();
});
afterAll(() => scene?.close());

describe('typed data of an input are refused, and nothing is stored, for', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await deployLease(scene.principal, scene);
  });
  const change = (changed: Record<string, unknown>) => () =>
    scene.prepareInput(lease.id, {
      inputId: 'accept',
      values: { months: '4', remark: 'gladly' },
      signer: lease.tenant.address,
      ...changed,
    });

  test.each([
    ['an input that the document has not', { inputId: 'refuse' }, 400, 'unknown_input'],
    ['a state that does not accept it', { inputId: 'pay', values: {} }, 409, 'state_not_accepting'],
    ['an input that no transition names', { inputId: 'idle', values: {} }, 409, 'no_transition'],
    ['values that do not fit', { values: { months: 4.5 } }, 400, 'schema_mismatch'],
    ['a signer that is no issuer', { signer: `0x${'1'.repeat(40)}` }, 400, 'issuer_not_allowed'],
    ['a deadline that has passed', { deadline: 1_700_000_000 }, 400, 'permit_expired'],
  ])('%s', (_, changed, status, reason) => scene.expectRefused(change(changed), status, reason));

  test('an agreement that is not deployed yet', async () => {
    const prepared = scene.deployment();
    await scene.worker.hold(async () => {
      const draft = await scene.submitDeploy(prepared, await scene.prepareDeploy(prepared.body));
      const { id } = recordShape.parse(draft.body.data);
      const knock = { inputId: 'knock', values: {}, signer: prepared.account.address };
      await scene.expectRefused(() => scene.prepareInput(id, knock), 409, 'not_deployed');
    });
  });

  test("another principal's record, an unknown one, and callers without the right to write", async () => {
    const knock = { inputId: 'knock', values: {}, signer: lease.tenant.address };
    const other = await scene.service.createPrincipal();
    expect(outcome(await scene.prepareInput(lease.id, knock, other))).toMatchObject({ status: 403 });
    expect(outcome(await scene.prepareInput(lease.address, knock, other))).toMatchObject({ status: 404 });
    expect(outcome(await scene.prepareInput(`agr_${'0'.repeat(32)}`, knock))).toMatchObject({ status: 404 });
    const reader = await scene.service.createPrincipal(['agreements.read']);
    expect(outcome(await scene.prepareInput(lease.id, knock, reader))).toMatchObject({ status: 403 });
    expect(outcome(await scene.prepareDeploy(scene.deployment().body, reader))).toMatchObject({
      status: 403,
    });
  });
});

describe('typed data of an input sign', () => {
  test("the nonce after those of the principal's permits, or the mined one if requested", async () => {
    const lease = await deployLease(scene.principal, scene);
    const prepare = (more: object) =>
      scene.prepareInput(lease.id, { inputId: 'knock', values: {}, signer: lease.tenant.address, ...more });
    await scene.worker
      .hold(async () => {
        const { body } = await lease.sign({ inputId: 'knock', values: {}, account: lease.tenant });
        const submitted = scene.post(`${lease.id}/input`, body);
        await expect
          .poll(async () => (await prepare({})).body.data)
          .toMatchObject({ nonce: '1', minedNonce: '0', message: { nonce: '1' } });
        const ask = { inputId: 'knock', values: {}, signer: lease.tenant.address };
        const mined = await scene.post(`${lease.id}/input-typed-data?pending=false`, ask);
        expect(mined.body.data).toMatchObject({ nonce: '0', minedNonce: '0' });
        expect(scene.verdictOf(mined)).toMatchObject({ ok: false, reason: 'nonce_in_flight' });
        // The same terms are the same permit, so it keeps its nonce.
        const again = await prepare({ deadline: body.deadline });
        expect(again.body.data).toMatchObject({ nonce: '0' });
        return { submitted };
      })
      .then(({ submitted }) => submitted);
  });
});
