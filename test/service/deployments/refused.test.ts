import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildLease } from '../support/documents.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { type DeploymentScene, startDeploymentScene } from './support/deploymentScene.ts';

let scene: DeploymentScene;
beforeAll(async () => {
  scene = await startDeploymentScene();
});
afterAll(() => scene?.close());

describe('a deployment is refused and nothing is stored', () => {
  test('on another chain, before all else', async () => {
    const { body } = await scene.prepare();
    await scene.expectRefused(
      { ...body, chainId: 1, agreement: {}, signature: { ...body.signature, v: 28 } },
      400,
      'unsupported_chain',
    );
    for (const other of [0, 9_999_999_999, -9_999_999_999])
      await scene.expectRefused({ ...body, chainId: other }, 400, 'unsupported_chain');
  });

  test('with a document, values or participants that are not valid', async () => {
    const { body } = await scene.prepare();
    await scene.expectRefused(
      { ...body, agreement: { ...body.agreement, execution: {} } },
      400,
      'invalid_agreement',
    );
    await scene.expectRefused({ ...body, initValues: {} }, 400, 'invalid_values');
    const stranger = { variableKey: 'nobody', walletAddress: scene.chain.relayer };
    await scene.expectRefused({ ...body, participants: [stranger] }, 400, 'invalid_participants');
    await scene.expectRefused({ ...body, notificationTemplate: 'x' }, 400, 'invalid_notification_template');
  });

  test('with wrong values before more participants than an agreement may have', async () => {
    const { body } = await scene.prepare();
    const participants = Array.from({ length: 300 }, () => ({
      variableKey: 'tenant',
      walletAddress: scene.chain.relayer,
    }));
    const observers = Array.from({ length: 300 }, (_, at) => `${at}@example.com`);
    const initValues = { ...body.initValues, rent: 'much' };
    for (const parties of [{ participants }, { observers }, { participants, observers }]) {
      await scene.expectRefused({ ...body, ...parties, initValues }, 400, 'invalid_values');
      const refusal = await scene.expectRefused({ ...body, ...parties }, 400, 'invalid_participants');
      expect(refusal.message).toMatch(/must have no more than \d+ items/);
    }
    // A missing value may be the wallet of a participant, unless these are well-formed.
    const { rent: _, ...others } = body.initValues;
    await scene.expectRefused({ ...body, observers, initValues: others }, 400, 'invalid_values');
  });

  test('with a name of which nobody sees anything', async () => {
    const { body } = await scene.prepare();
    const before = await scene.service.countRows();
    for (const displayName of ['\u200b\u200d', '\u202e\u2069', ' \u3164'])
      expect(outcome(await scene.deploy({ ...body, displayName }))).toMatchObject({
        status: 400,
        details: { issues: [{ path: 'displayName', message: 'must have a visible character' }] },
      });
    expect(await scene.service.countRows()).toEqual(before);
  });

  test('with a document id that another record of the principal has', async () => {
    await scene.deploy({ ...(await scene.prepare()).body, documentId: 'taken' });
    const refusal = await scene.expectRefused(
      { ...(await scene.prepare()).body, documentId: 'taken' },
      409,
      'document_id_taken',
    );
    expect(refusal).toMatchSnapshot();
    const other = await scene.service.createPrincipal();
    expect((await scene.deploy({ ...(await scene.prepare()).body, documentId: 'taken' }, other)).status).toBe(
      200,
    );
  });

  test('after its deadline, by the clock of the chain or of the service', async () => {
    const past = Math.floor(Date.now() / 1000) - 10;
    const refusal = await scene.expectRefused(
      (await scene.prepare({ deadline: past })).body,
      400,
      'permit_expired',
    );
    expect(refusal.details).toMatchObject({ deadline: past });
    expect(refusal.message).toMatchInlineSnapshot(`"The deadline of the permit has passed."`);
  });

  test('with a deadline that lies further ahead than permits are kept, and taken up to there', async () => {
    const dayMs = 24 * 3_600_000;
    const far = Math.floor((Date.now() + dayMs) / 1_000) + 600;
    const refusal = await scene.expectRefused(
      (await scene.prepare({ deadline: far })).body,
      400,
      'deadline_too_far',
    );
    expect(refusal.details).toMatchObject({ field: 'deadline', deadline: far });
    expect(refusal.message).toBe('The deadline of the permit is more than 86400 seconds in the future.');
    expect((await scene.deploy((await scene.prepare({ deadline: far - 1_200 })).body)).status).toBe(200);
  });

  test('where the factory would revert, with its reason', async () => {
    // Only the engine rejects the zero address as a target; every earlier check accepts it.
    const zero = buildLease('0x0000000000000000000000000000000000000000');
    const account = createAccount();
    const values = { landlord: account.address, tenant: scene.chain.relayer, rent: '5' };
    const permit = await signDeploy({
      account,
      agreement: zero,
      values,
      chainId,
      factory: scene.chain.factory,
    });
    const body = { agreement: zero, displayName: 'Zero', chainId, initValues: values, ...permit };
    expect(await scene.expectRefused(body, 409, 'action_reverted')).toMatchSnapshot();
  });

  test('without a document URI that was signed', async () => {
    const { body } = await scene.prepare();
    const { docUri: _, ...rest } = body;
    const agreement = { ...body.agreement, metadata: { templateId: 'did:template:lease' } };
    for (const sent of [
      { ...body, docUri: '' },
      { ...rest, agreement },
    ]) {
      const answer = await scene.deploy(sent);
      expect(answer.status).toBe(400);
      expect(outcome(answer).details).toMatchObject({ field: 'docUri' });
    }
  });

  test('with parts that are missing or unknown, all at once', async () => {
    const { body } = await scene.prepare();
    const { displayName: _, signer: __, ...rest } = body;
    expect(outcome(await scene.deploy({ ...rest, deadline: -1, colour: 'red' }))).toMatchSnapshot();
  });

  test('by a principal that may only read', async () => {
    const reader = await scene.service.createPrincipal(['agreements.read']);
    expect((await scene.deploy((await scene.prepare()).body, reader)).status).toBe(403);
  });
});
