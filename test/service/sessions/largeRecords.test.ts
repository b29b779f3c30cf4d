import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecord } from '../../../src/api/agreements/openRecord.ts';
import { newSigningLinkShape, sharedRecordShape } from '../../../src/api/shapes/sharingShapes.ts';
import { walletAgreementShape, walletChallengeShape } from '../../../src/api/shapes/walletShapes.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createCall } from '../support/call.ts';
import { startWorkedService, type WorkedService } from '../support/chainService.ts';
import { type CountedDatabase, createCountedDatabase } from '../support/countedDatabase.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { insertInputs } from '../support/rows.ts';
import { startTestApi, type TestApi } from '../support/testService.ts';
import { type Browser, createBrowser } from './support/browser.ts';

const logger = pino({ level: 'silent' });
/** The size of one record's values here, near the limit. */
const valuesBytes = 200_000;

let scene: WorkedService;
let lease: Lease;
let database: CountedDatabase;
let api: TestApi;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
  lease = await deployLease(scene.principal, scene);
  database = await createCountedDatabase(scene.service.databaseUrl);
  api = await startTestApi(database.url, {});
  const others = [await deployLease(scene.principal, scene), await deployLease(scene.principal, scene)];
  for (const { id } of [lease, ...others])
    await scene.principal.call('PATCH', `/v0/agreements/${id}`, { body: { participantAccess: 'sign' } });
  const { pool } = scene.service.handle;
  await pool.query(
    `update service.records set variables = (variables::jsonb || jsonb_build_object('filling', repeat('x', $1)))::json`,
    [valuesBytes],
  );
  await pool.query(
    `insert into service.record_wallets (record_id, wallet, created_at)
     select distinct record_id, $1, created_at from service.record_wallets on conflict do nothing`,
    [lease.tenant.address.toLowerCase()],
  );
});
afterAll(async () => {
  await api?.close();
  await database?.close();
  await scene?.close();
});

async function login(): Promise<Browser> {
  const browser = createBrowser(api.baseUrl);
  const challenge = await browser.call('POST', '/v0/wallet/challenges', {
    body: { wallet: lease.tenant.address },
  });
  const { id: challengeId, message } = walletChallengeShape.parse(challenge.body.data);
  const signature = await lease.tenant.signMessage({ message });
  await browser.call('POST', '/v0/wallet/sessions', { body: { challengeId, signature } });
  return browser;
}

test("a page of a wallet reads none of its records' values but addresses", async () => {
  const browser = await login();
  database.takeLongest();
  const answer = await browser.call('GET', '/v0/wallet/agreements?limit=100');
  const listed = walletAgreementShape.array().parse(answer.body.data);
  expect(listed).toHaveLength(3);
  expect(listed.find(({ id }) => id === lease.id)?.inputs.map(({ inputId }) => inputId)).toContain('accept');
  expect(database.takeLongest()).toBeLessThan(valuesBytes);
});

test('links are created, listed and ended without reading the values', async () => {
  const call = createCall(api.baseUrl, scene.principal.key);
  database.takeLongest();
  const path = `/v0/agreements/${lease.id}/links`;
  const created = await call('POST', path, { body: { may: 'sign', participant: 'tenant' } });
  expect(created.status).toBe(200);
  const { id } = newSigningLinkShape.parse(created.body.data);
  expect((await call('GET', path)).status).toBe(200);
  expect((await call('DELETE', `${path}/${id}`)).status).toBe(200);
  expect(database.takeLongest()).toBeLessThan(valuesBytes);
});

test('only the wallet of a link is read to refuse another one, whatever text other values are', async () => {
  const shared = await scene.principal.call('POST', `/v0/agreements/${lease.id}/links`, {
    body: { may: 'sign', participant: 'tenant' },
  });
  const { url } = newSigningLinkShape.parse(shared.body.data);
  const headers = { 'x-agreements-link': new URL(url).hash.slice(1) };
  const ask = (signer: string) =>
    createCall(api.baseUrl)('POST', '/v0/shared/agreement/input-typed-data', {
      body: { inputId: 'accept', values: { months: 3 }, signer },
      headers,
    });
  database.takeLongest();
  expect((await ask(lease.landlord.address)).status).toBe(403);
  expect(database.takeLongest()).toBeLessThan(valuesBytes);
  const { pool } = scene.service.handle;
  // As an input sent directly to the contract can store it.
  const odd = JSON.stringify({ tenant: lease.tenant.address, remark: '\u0000 \\u0000 \\' });
  const { rows } = await pool.query('select variables::text from service.records where id = $1', [lease.id]);
  await pool.query('update service.records set variables = $2 where id = $1', [lease.id, odd]);
  expect((await ask(lease.landlord.address)).status).toBe(403);
  expect((await ask(lease.tenant.address)).status).not.toBe(403);
  await pool.query('update service.records set variables = $2 where id = $1', [lease.id, rows[0].variables]);
});

test('a record is opened to its participants only in a turn of its principal, and closed without one', async () => {
  const { pool } = scene.service.handle;
  const { rows } = await pool.query('select id from service.api_keys where principal_id = $1', [
    scene.principal.id,
  ]);
  const url = scene.service.databaseUrl;
  const api = createDatabase({
    ...{ url, applicationName: 'api', maxConnections: 2 },
    readsTogether: true,
    logger,
  });
  let turns = 0;
  const setAccess = (participantAccess: 'none' | 'sign') => {
    const { id: principalId } = scene.principal;
    const request = { reference: { id: lease.id }, principalId, keyId: rows[0].id, participantAccess };
    const inPageTurn = <Page>(read: () => Promise<Page>) => {
      turns++;
      return read();
    };
    return openRecord({ ...request, inPageTurn }, api);
  };
  try {
    await setAccess('none');
    expect(turns).toBe(0);
    await setAccess('sign');
    expect(turns).toBe(1);
  } finally {
    await api.close();
  }
  const named = await pool.query('select access_variables from service.records where id = $1', [lease.id]);
  expect(named.rows[0].access_variables).toEqual(['landlord', 'tenant']);
});

test("a guest's request reads the record's values only where it needs them", async () => {
  const shared = await scene.principal.call('POST', `/v0/agreements/${lease.id}/links`, {
    body: { may: 'sign', participant: 'tenant' },
  });
  const { url } = newSigningLinkShape.parse(shared.body.data);
  const headers = { 'x-agreements-link': new URL(url).hash.slice(1) };
  const call = createCall(api.baseUrl);
  database.takeLongest();
  expect((await call('GET', '/v0/shared/agreement/inputs', { headers })).status).toBe(200);
  expect(database.takeLongest()).toBeLessThan(valuesBytes);
  const opened = await call('GET', '/v0/shared/agreement', { headers });
  expect(sharedRecordShape.parse(opened.body.data).access).toEqual({
    may: 'sign',
    participant: 'tenant',
    wallet: lease.tenant.address,
  });
});

test("another principal's key has nothing of a record read but whose it is", async () => {
  const other = await scene.service.createPrincipal();
  const call = createCall(api.baseUrl);
  const { pool } = scene.service.handle;
  await insertInputs(
    pool,
    lease,
    [1, 2].map((at) => ({ id: `inp_${String(at).repeat(32)}`, payload: `0x${'1'.repeat(valuesBytes)}` })),
  );
  for (const path of ['', '/state', '/inputs']) {
    database.takeLongest();
    const answer = await call('GET', `/v0/agreements/${lease.id}${path}`, {
      headers: { 'x-api-key': other.key },
    });
    expect(answer.status, path).toBe(403);
    expect(database.takeLongest(), path).toBeLessThan(10_000);
  }
});
