import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../support/outcome.ts';
import { startTypedDataScene, type TypedDataScene } from './support/typedDataScene.ts';

let scene: TypedDataScene;
beforeAll(async () => {
  scene = await startTypedDataScene();
});
afterAll(() => scene?.close());

describe('typed data of a deployment are refused, and nothing is stored, for', () => {
  const change = (changed: Record<string, unknown>) => () =>
    scene.prepareDeploy({ ...scene.deployment().body, ...changed });
  const agreementWithout = (part: 'variables' | 'execution') => () => {
    const { body } = scene.deployment();
    return scene.prepareDeploy({ ...body, agreement: { ...body.agreement, [part]: {} } });
  };

  test.each([
    ['a chain that is not followed', change({ chainId: 1 }), 'unsupported_chain'],
    ['a document that is not valid', agreementWithout('execution'), 'invalid_agreement'],
    ['values that do not fit', change({ initValues: { rent: '0' } }), 'invalid_values'],
    [
      'participants that do not fit',
      change({ participants: [{ variableKey: 'rent', walletAddress: `0x${'1'.repeat(40)}` }] }),
      'invalid_participants',
    ],
    ['a deadline that has passed', change({ deadline: 1_700_000_000 }), 'permit_expired'],
  ])('%s', (_, ask, reason) => scene.expectRefused(ask, 400, reason));

  test('a document id that a record of the principal has', async () => {
    const prepared = scene.deployment();
    await scene.submitDeploy(prepared, await scene.prepareDeploy({ ...prepared.body, documentId: 'taken' }));
    await scene.expectRefused(change({ documentId: 'taken' }), 409, 'document_id_taken');
    const other = await scene.service.createPrincipal();
    expect(
      (await scene.prepareDeploy({ ...scene.deployment().body, documentId: 'taken' }, other)).status,
    ).toBe(200);
  });

  test('a body with members that the route does not know', async () => {
    const answer = await scene.prepareDeploy({ ...scene.deployment().body, signature: {} });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'signature' } });
  });

  test('a nonce that another permit of the principal holds, without revealing it to other principals', async () => {
    const prepared = scene.deployment();
    await scene.worker.hold(async () => {
      await scene.submitDeploy(prepared, await scene.prepareDeploy(prepared.body));
      await scene.expectRefused(() => scene.prepareDeploy(prepared.body), 409, 'nonce_in_flight');
      const other = await scene.service.createPrincipal();
      expect((await scene.prepareDeploy(prepared.body, other)).status).toBe(200);
    });
  });
});
