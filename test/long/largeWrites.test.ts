import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { newSigningLinkShape } from '../../src/api/shapes/sharingShapes.ts';
import { type Answer, createCall } from '../service/support/call.ts';
import { startWorkedService, type WorkedService } from '../service/support/chainService.ts';
import { buildLease } from '../service/support/documents.ts';
import { deployLease, type Lease } from '../service/support/leases.ts';
import { createAccount, inAnHour, signDeploy } from '../service/support/permits.ts';
import { chainId } from '../service/support/testChain.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** On a busy machine a test may have to ask several times before enough requests wait together. */
vi.setConfig({ testTimeout: 180_000 });
const patienceMs = 120_000;

let scene: WorkedService;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
});
afterAll(() => scene?.close());

/** Stores as many bytes of values in a record as its inputs could. */
const enlarge = (id: string) =>
  scene.service.handle.pool.query(
    `update service.records set variables = (variables::jsonb || jsonb_build_object('filling', repeat('x', 400000)))::json
     where id = $1`,
    [id],
  );

/** More requests than may wait. */
const many = 130;

/** Waits until many requests at once are partly answered with this status, and partly refused. */
async function expectTurns(send: () => Promise<Answer>, expected: number): Promise<void> {
  const sendMany = async () => {
    // Requests are only refused soon after a large one.
    expect((await send()).status).toBe(expected);
    const answers = await Promise.all(Array.from({ length: many }, send));
    const seen = new Set(answers.map(({ status }) => status));
    for (const status of seen) expect([expected, 429]).toContain(status);
    return seen.has(expected) && seen.has(429);
  };
  await waitUntil('some are refused', sendMany, patienceMs);
}

async function share(id: string, wanted: object): Promise<ReturnType<typeof createCall>> {
  const answer = await scene.principal.call('POST', `/v0/agreements/${id}/links`, { body: wanted });
  const secret = new URL(newSigningLinkShape.parse(answer.body.data).url).hash.slice(1);
  const call = createCall(scene.service.baseUrl);
  return (method, path, options = {}) =>
    call(method, path, { ...options, headers: { 'x-agreements-link': secret } });
}

describe('in turns, beyond which they are refused, are answered', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await deployLease(scene.principal, scene);
    await enlarge(lease.id);
  });

  test('changes of the access to a large record', async () => {
    const change = () =>
      scene.principal.call('PATCH', `/v0/agreements/${lease.id}`, { body: { participantAccess: 'none' } });
    await expectTurns(change, 200);
  });

  test('requests for the typed data of its inputs, by its principal and by guests', async () => {
    const body = { inputId: 'unknown', values: {}, signer: lease.tenant.address };
    const ask = () => scene.principal.call('POST', `/v0/agreements/${lease.id}/input-typed-data`, { body });
    await expectTurns(ask, 400);
    const visit = await share(lease.id, { may: 'sign', participant: 'tenant' });
    const askAsGuest = () => visit('POST', '/v0/shared/agreement/input-typed-data', { body });
    await expectTurns(askAsGuest, 400);
  });

  test('its inputs', async () => {
    const { v, r, s } = { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'1'.repeat(64)}` };
    const input = { inputId: 'unknown', values: {}, signer: lease.tenant.address, deadline: inAnHour() };
    const send = () =>
      scene.principal.call('POST', `/v0/agreements/${lease.id}/input`, {
        body: { ...input, signature: { v, r, s } },
      });
    await expectTurns(send, 400);
  });

  test('repeated deployments, also under one Idempotency-Key', async () => {
    const account = createAccount();
    const agreement = buildLease(scene.chain.token);
    const values = { landlord: account.address, tenant: account.address, rent: '5' };
    const permit = await signDeploy({ account, agreement, values, chainId, factory: scene.chain.factory });
    const body = { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
    const deploy = (headers = {}) =>
      scene.principal.call('POST', '/v0/agreements/deploy-with-permit', { body, headers });
    const { id } = recordShape.parse((await deploy()).body.data);
    await enlarge(id);
    await expectTurns(deploy, 200);
    const other = await scene.service.createPrincipal();
    await scene.service.handle.pool.query('update service.records set principal_id = $2 where id = $1', [
      id,
      other.id,
    ]);
    const path = '/v0/agreements/deploy-with-permit';
    const keyed = () => other.call('POST', path, { body, headers: { 'idempotency-key': 'one' } });
    expect((await keyed()).status).toBe(200);
    await expectTurns(keyed, 200);
  });

  test('typed data of a draft, and its repeated deployment, for guests', async () => {
    const owner = createAccount();
    const values = { landlord: owner.address, tenant: owner.address, rent: '5' };
    const agreement = buildLease(scene.chain.token);
    const draft = { agreement, displayName: 'Lease', chainId, initValues: values, signer: owner.address };
    const stored = await scene.principal.call('POST', '/v0/agreements/drafts', { body: draft });
    const { id, docUri } = recordShape.parse(stored.body.data);
    const visit = await share(id, { may: 'sign' });
    const ask = () =>
      visit('POST', '/v0/shared/agreement/deploy-typed-data', { body: { signer: owner.address } });
    await expectTurns(ask, 200);
    const { signer, deadline, signature } = await signDeploy({
      ...{ account: owner, agreement, values, chainId, factory: scene.chain.factory, docUri },
    });
    const send = () =>
      visit('POST', '/v0/shared/agreement/deploy-with-permit', { body: { signer, deadline, signature } });
    await expectTurns(send, 200);
  });
});
