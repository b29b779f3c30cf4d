import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { newSigningLinkShape, sharedRecordShape } from '../../../src/api/shapes/sharingShapes.ts';
import { signableDeploymentShape } from '../../../src/api/shapes/signableShape.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type CallOptions, createCall } from '../support/call.ts';
import { startWorkedService, type WorkedService } from '../support/chainService.ts';
import { buildLease } from '../support/documents.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';

let scene: WorkedService;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
});
afterAll(() => scene?.close());

/** A deployment prepared for the landlord to sign. */
async function prepare(members: object = {}, others: Record<string, string> = {}) {
  const [landlord, tenant] = [createAccount(), createAccount()];
  const agreement = buildLease(scene.chain.token);
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5', ...others };
  const body = { agreement, displayName: 'Lease', chainId, initValues: values, signer: landlord.address };
  const answer = await scene.principal.call('POST', '/v0/agreements/drafts', {
    body: { ...body, ...members },
  });
  expect(outcome(answer)).toMatchObject({ status: 200 });
  const record = recordShape.parse(answer.body.data);
  const sign = (account = landlord, docUri = record.docUri) =>
    signDeploy({ account, agreement, values, chainId, factory: scene.chain.factory, docUri }).then(
      ({ signer, deadline, signature }) => ({ signer, deadline, signature }),
    );
  const warnings = answer.body.meta?.warnings;
  return { record, warnings, agreement, landlord, tenant, sign };
}

async function share(id: string, wanted: object = { may: 'sign' }) {
  const answer = await scene.principal.call('POST', `/v0/agreements/${id}/links`, { body: wanted });
  expect(outcome(answer)).toMatchObject({ status: 200 });
  const secret = new URL(newSigningLinkShape.parse(answer.body.data).url).hash.slice(1);
  const call = createCall(scene.service.baseUrl);
  return (method: string, path: string, options: CallOptions = {}) =>
    call(method, `/v0/shared/agreement${path}`, {
      ...options,
      headers: { 'x-agreements-link': secret, ...options.headers },
    });
}

const countTransactions = async () =>
  (await scene.service.handle.pool.query('select 1 from service.transactions')).rowCount;

describe('a draft', () => {
  test('is kept for its owner, who signs it by a link; then it is deployed', async () => {
    const { record, agreement, landlord, sign } = await prepare();
    expect(record).toMatchObject({ status: 'Draft', awaitsOwner: true, owner: landlord.address });
    const sent = await countTransactions();
    const visit = await share(record.id);
    const opened = sharedRecordShape.parse((await visit('GET', '')).body.data);
    expect(opened).toMatchObject({
      json: agreement,
      awaitsOwner: true,
      access: { wallet: landlord.address },
    });
    const unsigned = await visit('POST', '/deploy-typed-data', { body: { signer: landlord.address } });
    const signable = signableDeploymentShape.parse(unsigned.body.data);
    expect(signable).toMatchObject({ docUri: record.docUri, verdict: { ok: true } });
    expect(await countTransactions()).toBe(sent);

    const body = await sign();
    const answer = await visit('POST', '/deploy-with-permit', { body });
    expect(outcome(answer)).toMatchObject({ status: 200 });
    const address = await scene.worker.fold(record.id);
    const deployed = recordShape.parse(
      (await scene.principal.call('GET', `/v0/agreements/${record.id}`)).body.data,
    );
    expect(deployed).toMatchObject({ id: record.id, status: 'Deployed', address });
    expect(deployed.awaitsOwner).toBeUndefined();

    // The same permit again is the same deployment; a different permit is refused.
    expect((await visit('POST', '/deploy-with-permit', { body })).status).toBe(200);
    const again = await visit('POST', '/deploy-typed-data', { body: { signer: landlord.address } });
    expect(outcome(again)).toMatchObject({ status: 409, details: { reason: 'draft_signed' } });
    expect(await countTransactions()).toBe((sent ?? 0) + 1);
  });

  test('has warnings of values that its owner does not sign, also in the typed data', async () => {
    const { record, warnings, landlord, tenant } = await prepare({}, { remark: 'next to the pump' });
    const path = 'initValues.remark';
    expect(warnings).toEqual([expect.stringMatching(/^initValues\.remark is not signed/)]);
    const ownerVisit = await share(record.id);
    const shared = await ownerVisit('POST', '/deploy-typed-data', { body: { signer: landlord.address } });
    expect(shared.body.meta).toMatchObject({ warnings, warningDetails: [{ path }] });
    const { json: agreement, variables: initValues } = record;
    const own = await scene.principal.call('POST', '/v0/agreements/deploy-typed-data', {
      body: { agreement, chainId, initValues, signer: tenant.address },
    });
    expect(own.body.meta).toMatchObject({ warnings });
  });

  test("accepts only its owner's signature, and only over the prepared data", async () => {
    const { record, landlord, tenant, sign } = await prepare();
    const visit = await share(record.id);
    const before = await scene.service.countRows();
    const others = await visit('POST', '/deploy-with-permit', { body: await sign(tenant) });
    expect(outcome(others)).toMatchObject({ status: 403, message: 'The link is for another wallet.' });
    const forged = { ...(await sign(tenant)), signer: landlord.address };
    const elsewhere = await sign(landlord, 'https://elsewhere.example.com/document');
    for (const body of [forged, elsewhere])
      expect(outcome(await visit('POST', '/deploy-with-permit', { body }))).toMatchObject({
        status: 400,
        details: { reason: 'signature_mismatch' },
      });
    expect(await scene.service.countRows()).toEqual(before);
  });

  test('is not signed by a link for reading, nor by the link of another party', async () => {
    const { record, landlord, sign } = await prepare();
    const body = await sign();
    const reader = await share(record.id, { may: 'read' });
    expect((await reader('POST', '/deploy-with-permit', { body })).status).toBe(403);
    const tenants = await share(record.id, { may: 'sign', participant: 'tenant' });
    expect((await tenants('POST', '/deploy-with-permit', { body })).status).toBe(403);
    expect((await tenants('POST', '/deploy-typed-data', { body: { signer: landlord.address } })).status).toBe(
      403,
    );
    const own = await share(record.id, { may: 'sign', participant: 'landlord' });
    expect((await own('POST', '/deploy-with-permit', { body })).status).toBe(200);
  });

  test('is not deployed by another party for itself, though its link lets it sign as that', async () => {
    const { record, tenant, sign } = await prepare();
    const visit = await share(record.id, { may: 'sign', participant: 'tenant' });
    const before = await scene.service.countRows();
    const asked = await visit('POST', '/deploy-typed-data', { body: { signer: tenant.address } });
    const sent = await visit('POST', '/deploy-with-permit', { body: await sign(tenant) });
    for (const answer of [asked, sent])
      expect(outcome(answer)).toMatchObject({ status: 403, message: 'The link is for another wallet.' });
    expect(await scene.service.countRows()).toEqual(before);
  });

  test('is withdrawn by its principal alone, and only while nobody has signed it', async () => {
    const { record } = await prepare();
    const visit = await share(record.id);
    const path = `/v0/agreements/drafts/${record.id}`;
    const stranger = await scene.service.createPrincipal();
    expect((await stranger.call('DELETE', path)).status).toBe(404);
    expect((await scene.principal.call('DELETE', path)).body.data).toEqual({ id: record.id });
    expect((await visit('GET', '')).status).toBe(401);
    expect((await scene.principal.call('DELETE', path)).status).toBe(404);

    const signed = await prepare();
    const signer = await share(signed.record.id);
    expect((await signer('POST', '/deploy-with-permit', { body: await signed.sign() })).status).toBe(200);
    const late = await scene.principal.call('DELETE', `/v0/agreements/drafts/${signed.record.id}`);
    expect(outcome(late)).toMatchObject({ status: 409, details: { reason: 'draft_signed' } });
  });

  test('two permits of its owner at the same moment make one deployment', async () => {
    const { record, sign } = await prepare();
    const visit = await share(record.id);
    const soon = await sign();
    const later = { ...(await sign()), deadline: soon.deadline };
    const sent = (await countTransactions()) ?? 0;
    const answers = await Promise.all(
      [soon, later].map((body) => visit('POST', '/deploy-with-permit', { body })),
    );
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await countTransactions()).toBe(sent + 1);
  });

  test('that somebody has signed meanwhile takes no second permit, and nothing is sent for it', async () => {
    const { record, sign } = await prepare();
    const visit = await share(record.id);
    const body = await sign();
    const sent = await countTransactions();
    const { pool } = scene.service.handle;
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('update service.records set awaits_owner = false where id = $1', [record.id]);
      const answer = visit('POST', '/deploy-with-permit', { body });
      await waitUntil('the permit waits for the draft', async () => (await readLockWaits(pool)).length > 0);
      await client.query('commit');
      expect(outcome(await answer)).toMatchObject({ status: 409, details: { reason: 'draft_signed' } });
    } finally {
      client.release(true);
    }
    expect(await countTransactions()).toBe(sent);
  });

  test('is refused like the deployment itself would be, and is not stored then', async () => {
    const agreement = buildLease(scene.chain.token);
    const before = await scene.service.countRows();
    const body = { agreement, displayName: 'Lease', chainId, signer: createAccount().address };
    const answer = await scene.principal.call('POST', '/v0/agreements/drafts', { body });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { reason: 'invalid_values' } });
    const unsigned = { ...body, signer: undefined };
    expect((await scene.principal.call('POST', '/v0/agreements/drafts', { body: unsigned })).status).toBe(
      400,
    );
    expect(await scene.service.countRows()).toEqual(before);
  });
});
