import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inputRecordShape, stateShape } from '../../../src/api/shapes/resources.ts';
import {
  newSigningLinkShape,
  sharedRecordShape,
  signingLinkShape,
} from '../../../src/api/shapes/sharingShapes.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { heldTogether } from '../../support/heldTogether.ts';
import { type CallOptions, createCall } from '../support/call.ts';
import { startWorkedService, type WorkedService } from '../support/chainService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { startTestApi, type TestPrincipal } from '../support/testService.ts';

let scene: WorkedService;
let lease: Lease;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
  lease = await deployLease(scene.principal, scene);
});
afterAll(() => scene?.close());

type Wanted = { may: 'read' | 'sign'; participant?: string; expiresInSeconds?: number; note?: string };

async function share(wanted: Wanted, { by = scene.principal, id = lease.id } = {}) {
  const answer = await by.call('POST', `/v0/agreements/${id}/links`, { body: wanted });
  expect(answer.status).toBe(200);
  const link = newSigningLinkShape.parse(answer.body.data);
  const secret = new URL(link.url).hash.slice(1);
  return { link, secret, visit: visitWith(secret) };
}

/** Calls with a signing link only. */
function visitWith(secret: string) {
  const call = createCall(scene.service.baseUrl);
  return (method: string, path: string, options: CallOptions = {}) =>
    call(method, `/v0/shared/agreement${path}`, {
      ...options,
      headers: { 'x-agreements-link': secret, ...options.headers },
    });
}

const openings: [string, string, object?][] = [
  ['GET', ''],
  ['GET', '/state'],
  ['GET', '/inputs'],
  ['GET', '/document'],
];

describe('a link for reading', () => {
  test.each(openings)(
    'takes no consistency token for %s %s, which would not be awaited',
    async (method, path) => {
      const { visit } = await share({ may: 'read' });
      expect(outcome(await visit(method, `${path}?consistency=W10`))).toMatchObject({
        status: 400,
        details: { issues: [{ path: 'consistency', message: 'is not a parameter of this route' }] },
      });
    },
  );

  test('that was not sent is called missing', async () => {
    const call = createCall(scene.service.baseUrl);
    const { status, body } = await call('GET', '/v0/shared/agreement');
    expect(status).toBe(401);
    expect(body.error?.message).toMatch(/^Missing signing link\./);
  });

  test('opens one agreement: its document, its state and its inputs, and signs nothing', async () => {
    const { link, visit } = await share({ may: 'read', note: 'for the auditor' });
    expect(link.url).toMatch(/\/console\/sign#agl_[0-9a-f]{64}$/);
    const opened = sharedRecordShape.parse((await visit('GET', '')).body.data);
    expect(opened).toMatchObject({ id: lease.id, json: lease.agreement, access: { may: 'read' } });
    const state = stateShape.parse((await visit('GET', '/state')).body.data);
    expect(state.acceptedInputs.map(({ inputId }) => inputId)).toContain('accept');
    expect((await visit('GET', '/inputs')).status).toBe(200);
    expect((await visit('GET', '/document')).body.data).toMatchObject({ agreementId: lease.id });
    const { body } = await lease.sign({
      account: lease.tenant,
      inputId: 'accept',
      values: { months: '4', remark: 'gladly', code: 'A' },
    });
    const refused = await visit('POST', '/input', { body });
    expect(outcome(refused)).toMatchObject({ status: 403, message: 'The link allows reading only.' });
    expect(refused.headers.has('ratelimit')).toBe(true);
  });

  test('opens no other agreement that is named beside it, whether that exists or not', async () => {
    const other = await deployLease(scene.principal, scene);
    const { visit } = await share({ may: 'read' });
    for (const [method, path] of openings) {
      expect((await visit(method, `${path}?agreementId=${lease.id}`)).status).toBe(200);
      for (const id of [other.id, `agr_${'0'.repeat(32)}`]) {
        const refused = await visit(method, `${path}?agreementId=${id}`);
        expect(outcome(refused)).toMatchObject({ status: 404, message: 'The agreement does not exist.' });
        // It counts as any other.
        expect(refused.headers.has('ratelimit')).toBe(true);
      }
    }
  });

  test('shows nothing of the principal, nor data about the parties except their wallets', async () => {
    const { visit } = await share({ may: 'read', note: 'a secret note' });
    for (const [method, path] of openings) {
      const text = JSON.stringify((await visit(method, path)).body);
      for (const hidden of [scene.principal.id, scene.principal.name, 'a secret note', 'userId', 'email'])
        expect(text).not.toContain(hidden);
    }
  });

  test('is no key: it opens no route of principals, and no key opens those of links', async () => {
    const { secret } = await share({ may: 'read' });
    const call = createCall(scene.service.baseUrl);
    const headers = { 'x-agreements-link': secret };
    for (const path of [`/v0/agreements/${lease.id}`, '/v0/agreements', '/v0/sessions', '/v0/events']) {
      expect((await call('GET', path, { headers })).status).toBe(401);
      expect((await call('GET', path, { headers: { 'x-api-key': secret } })).status).toBe(401);
    }
    expect((await scene.principal.call('GET', '/v0/shared/agreement')).status).toBe(401);
  });
});

describe('a link for signing', () => {
  test("accepts inputs signed by its participant's wallet, and records its uses", async () => {
    const other = await deployLease(scene.principal, scene);
    const { link, visit } = await share({ may: 'sign', participant: 'tenant' }, { id: other.id });
    expect(sharedRecordShape.parse((await visit('GET', '')).body.data).access).toEqual({
      may: 'sign',
      participant: 'tenant',
      wallet: other.tenant.address,
    });
    const values = { months: '4', remark: 'gladly', code: 'A' };
    const unsigned = { inputId: 'accept', values, signer: other.tenant.address };
    const signable = await visit('POST', '/input-typed-data', { body: unsigned });
    expect(signable.body.data).toMatchObject({ primaryType: 'PermitInput', verdict: { ok: true } });
    const { body } = await other.sign({ account: other.tenant, inputId: 'accept', values });
    const answer = await visit('POST', '/input', { body });
    expect(answer.status).toBe(200);
    const input = inputRecordShape.parse(answer.body.data);
    expect(input).toMatchObject({ inputId: 'accept', signer: other.tenant.address });
    expect(input.userId).toBeUndefined();
    const listed = await scene.principal.call('GET', `/v0/agreements/${other.id}/links`);
    const [found] = signingLinkShape.array().parse(listed.body.data);
    expect(found).toMatchObject({
      id: link.id,
      uses: [
        { kind: 'input', wallet: other.tenant.address, inputId: 'accept', usedAt: expect.any(String) },
        { kind: 'opened', usedAt: expect.any(String) },
      ],
    });
    for (let time = 0; time < 3; time++) expect((await visit('POST', '/input', { body })).status).toBe(200);
    const again = await scene.principal.call('GET', `/v0/agreements/${other.id}/links`);
    expect(signingLinkShape.array().parse(again.body.data)[0]?.uses).toEqual(found?.uses);
  });

  test('counts reads right after each other as one use', async () => {
    const { link, visit } = await share({ may: 'read' });
    for (let count = 0; count < 3; count++) expect((await visit('GET', '')).status).toBe(200);
    const listed = await scene.principal.call('GET', `/v0/agreements/${lease.id}/links?limit=100`);
    const found = signingLinkShape
      .array()
      .parse(listed.body.data)
      .find(({ id }) => id === link.id);
    expect(found?.uses).toMatchObject([{ kind: 'opened' }]);
    await scene.service.handle.pool.query(
      `update service.signing_link_uses set used_at = now() - interval '61 seconds' where link_id = $1`,
      [link.id],
    );
    expect((await visit('GET', '')).status).toBe(200);
    const { rows } = await scene.service.handle.pool.query(
      'select kind from service.signing_link_uses where link_id = $1',
      [link.id],
    );
    expect(rows).toHaveLength(2);
  });

  test('takes nothing of another wallet, though the agreement would', async () => {
    const other = await deployLease(scene.principal, scene);
    const { visit } = await share({ may: 'sign', participant: 'landlord' }, { id: other.id });
    const values = { months: '4', remark: 'gladly', code: 'A' };
    const { body } = await other.sign({ account: other.tenant, inputId: 'accept', values });
    const unsigned = { inputId: 'accept', values, signer: other.tenant.address };
    const before = await scene.service.countRows();
    for (const refused of [
      await visit('POST', '/input', { body }),
      await visit('POST', '/input-typed-data', { body: unsigned }),
    ])
      expect(outcome(refused)).toMatchObject({ status: 403, message: 'The link is for another wallet.' });
    expect(await scene.service.countRows()).toEqual(before);
  });

  test('refuses a deadline that is too far as the document of the API says', async () => {
    const { visit } = await share({ may: 'sign', participant: 'tenant' });
    const values = { months: '4', remark: 'gladly', code: 'A' };
    const unsigned = { inputId: 'accept', values, signer: lease.tenant.address, deadline: 99_999_999_999 };
    const refused = await visit('POST', '/input-typed-data', { body: unsigned });
    expect(outcome(refused)).toMatchObject({ status: 400, details: { reason: 'deadline_too_far' } });
  });

  test.each([
    ['nobody', { may: 'sign' }],
    ['an unknown variable', { may: 'sign', participant: 'nobody' }],
    ['a variable that holds no wallet', { may: 'sign', participant: 'rent' }],
    ['a member of every object', { may: 'sign', participant: 'constructor' }],
    ['too long a time', { may: 'read', expiresInSeconds: 2_592_001 }],
    ['no time', { may: 'read', expiresInSeconds: 0 }],
    ['all', { may: 'write' }],
  ])('is not made for %s', async (_, body) => {
    const answer = await scene.principal.call('POST', `/v0/agreements/${lease.id}/links`, { body });
    expect(answer.status).toBe(400);
  });
});

describe('a link that is no good', () => {
  const expectClosed = async (visit: ReturnType<typeof visitWith>, status = 401) => {
    for (const [method, path] of openings) expect((await visit(method, path)).status).toBe(status);
  };

  test('opens nothing once it is revoked', async () => {
    const { link, visit } = await share({ may: 'read' });
    expect((await visit('GET', '')).status).toBe(200);
    const path = `/v0/agreements/${lease.id}/links/${link.id}`;
    expect((await scene.principal.call('DELETE', path)).body.data).toMatchObject({ id: link.id });
    await expectClosed(visit);
    const listed = await scene.principal.call('GET', `/v0/agreements/${lease.id}/links`);
    expect(
      signingLinkShape
        .array()
        .parse(listed.body.data)
        .map(({ id }) => id),
    ).not.toContain(link.id);
    // The time that it would have had is not what counts.
    const later = `update service.signing_links set expires_at = now() + interval '1 hour' where id = $1`;
    await scene.service.handle.pool.query(later, [link.id]);
    await expectClosed(visit);
  });

  test('opens nothing once it has expired', async () => {
    const { link, visit } = await share({ may: 'read', expiresInSeconds: 60 });
    const past = `update service.signing_links set expires_at = now() - interval '1 second' where id = $1`;
    await scene.service.handle.pool.query(past, [link.id]);
    await expectClosed(visit);
  });

  test('opens nothing if it was made up, without saying why', async () => {
    const { secret } = await share({ may: 'read' });
    const answers = [];
    for (const wrong of ['', 'x', scene.principal.key, `agl_${'0'.repeat(64)}`, secret.toUpperCase()])
      answers.push(outcome(await visitWith(wrong)('GET', '')));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401 });
  });

  test('opens nothing while its principal may not do it itself', async () => {
    const owner = await scene.service.createPrincipal();
    const own = await deployLease(owner, scene);
    const { visit } = await share({ may: 'sign', participant: 'tenant' }, { by: owner, id: own.id });
    const { database } = scene.service.handle;
    const block = (scope: 'agreements.write' | 'agreements.read') =>
      setEntitlement(database, { principal: owner.id, scope, mode: 'blocked' });
    await block('agreements.write');
    const values = { months: '4', remark: 'gladly', code: 'A' };
    const { body } = await own.sign({ account: own.tenant, inputId: 'accept', values });
    const refused = await visit('POST', '/input', { body });
    expect((await visit('GET', '/state')).status).toBe(200);
    await setEntitlement(database, { principal: owner.id, scope: 'agreements.write', mode: 'paid_required' });
    // Nothing of what it has paid for.
    for (const answer of [refused, await visit('POST', '/input', { body })])
      expect(outcome(answer)).toEqual({
        status: 403,
        code: 'forbidden',
        message: 'The principal of the agreement does not allow it now.',
      });
    await block('agreements.read');
    await expectClosed(visit, 403);
    const ofAnother = await share({ may: 'read' });
    expect((await ofAnother.visit('GET', '/state')).status).toBe(200);
    await scene.service.handle.pool.query('delete from service.entitlements where principal_id = $1', [
      owner.id,
    ]);
    await expectClosed(visit, 403);
  });
});

describe('the links of an agreement', () => {
  test('are made, seen and revoked by its principal alone', async () => {
    const { link } = await share({ may: 'read' });
    const stranger: TestPrincipal = await scene.service.createPrincipal();
    const path = `/v0/agreements/${lease.id}/links`;
    for (const [method, target, body] of [
      ['POST', path, { may: 'read' }],
      ['GET', path, undefined],
      ['DELETE', `${path}/${link.id}`, undefined],
    ] as const)
      expect((await stranger.call(method, target, { body })).status).toBe(403);
    const own = await deployLease(stranger, scene);
    expect((await stranger.call('DELETE', `/v0/agreements/${own.id}/links/${link.id}`)).status).toBe(404);
    const another = await deployLease(scene.principal, scene);
    const elsewhere = `/v0/agreements/${another.id}/links/${link.id}`;
    expect((await scene.principal.call('DELETE', elsewhere)).status).toBe(404);
    const reader = await scene.service.createPrincipal(['agreements.read']);
    expect((await reader.call('GET', path)).status).toBe(403);
  });

  test('are stored as hashes alone, and show in no list and no log', async () => {
    const { secret, visit } = await share({ may: 'read' });
    await visit('GET', '/state');
    await visit('POST', '/input', { body: {} });
    const { rows } = await scene.service.handle.pool.query('select * from service.signing_links');
    const listed = await scene.principal.call('GET', `/v0/agreements/${lease.id}/links`);
    for (const text of [JSON.stringify(rows), JSON.stringify(listed.body), scene.service.logLines.join('')])
      expect(text).not.toContain(secret.slice(4));
  });

  test("count towards an agreement's limit only while active", async () => {
    const few = await startTestApi(scene.service.databaseUrl, { env: { SIGNING_LINKS_MAX: '1' } });
    try {
      const owner = await scene.service.createPrincipal();
      const own = await deployLease(owner, scene);
      const call = createCall(few.baseUrl, owner.key);
      const path = `/v0/agreements/${own.id}/links`;
      const make = () => call('POST', path, { body: { may: 'read' } });
      const made = z.object({ id: z.string() }).parse((await make()).body.data);
      expect(outcome(await make())).toMatchObject({ status: 409, details: { reason: 'link_limit_reached' } });
      await call('DELETE', `${path}/${made.id}`);
      const answers = await heldTogether(scene.service.handle.pool, {
        lock: ['select 1 from service.records where id = $1 for update', [own.id]],
        calls: [make, make],
      });
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    } finally {
      await few.close();
    }
  });

  test('read together no more than the guests of a principal may', async () => {
    const slow = await startTestApi(scene.service.databaseUrl, {
      env: { RATE_LIMIT_READS: '1', RATE_LIMIT_READ_BURST: '100' },
    });
    try {
      const owner = await scene.service.createPrincipal();
      const own = await deployLease(owner, scene);
      const call = createCall(slow.baseUrl);
      const links = [];
      for (let count = 0; count < 3; count++)
        links.push(await share({ may: 'read' }, { by: owner, id: own.id }));
      const read = ({ secret }: { secret: string }) =>
        call('GET', '/v0/shared/agreement/state', { headers: { 'x-agreements-link': secret } });
      const answers = await Promise.all(
        links.flatMap((link) => Array.from({ length: 90 }, () => read(link))),
      );
      // Each link alone would be within its limit.
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(200);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const answer of refused)
        expect(outcome(answer)).toMatchObject({ status: 429, code: 'rate_limited' });
      const stranger = await share({ may: 'read' });
      expect((await read(stranger)).status).toBe(200);
    } finally {
      await slow.close();
    }
  });

  test('count their requests apart from those of their principal', async () => {
    const slow = await startTestApi(scene.service.databaseUrl, {
      env: { RATE_LIMIT_READS: '1', RATE_LIMIT_READ_BURST: '1' },
    });
    try {
      const { secret } = await share({ may: 'read' });
      const visit = createCall(slow.baseUrl);
      const open = () => visit('GET', '/v0/shared/agreement', { headers: { 'x-agreements-link': secret } });
      // All would need 19 seconds.
      const answers = await Promise.all(Array.from({ length: 20 }, open));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
      const own = createCall(slow.baseUrl, scene.principal.key);
      expect((await own('GET', `/v0/agreements/${lease.id}`)).status).toBe(200);
    } finally {
      await slow.close();
    }
  });
});
