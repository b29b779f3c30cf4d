import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../src/api/http/resources.ts';
import { deleteExpiredKeys } from '../../src/api/idempotency/expiredKeys.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Answer, type CallOptions, createCall } from './support/call.ts';
import { buildLease } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { createAccount, signDeploy } from './support/permits.ts';
import { endReplica, type Replica, startReplica } from './support/replica.ts';
import { type StandInWorker, startStandInWorker } from './support/standInWorker.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import {
  encryptionKey,
  startTestApi,
  startTestService,
  type TestApi,
  type TestPrincipal,
  type TestService,
} from './support/testService.ts';

const template = '/v0/agreements/validate-template';
const deployment = '/v0/agreements/deploy-with-permit';

let chain: TestChain;
let service: TestService;
let second: TestApi;
let worker: StandInWorker;
let principal: TestPrincipal;
const replicas: Replica[] = [];
beforeAll(async () => {
  chain = await startTestChain();
  const rpcUrls = { [chainId]: chain.rpcUrl };
  service = await startTestService({ rpcUrls });
  second = await startTestApi(service.databaseUrl, { rpcUrls });
  await offerWallet(service, chain);
  worker = await startStandInWorker(service, chain);
  principal = await service.createPrincipal();
});
afterAll(async () => {
  for (const replica of replicas) await endReplica(replica);
  await worker?.stop();
  await second?.close();
  await service?.close();
  await chain?.stop();
});

const document = () => ({ body: buildLease(chain.token) });

function callWith(
  key: string,
  {
    path = template,
    baseUrl = service.baseUrl,
    by = principal,
    ...options
  }: CallOptions & {
    path?: string;
    baseUrl?: string;
    by?: TestPrincipal;
  } = {},
): Promise<Answer> {
  const { headers = {}, ...rest } = options;
  const sent = rest.body === undefined && rest.text === undefined ? document() : rest;
  return createCall(baseUrl, by.key)('POST', path, {
    ...sent,
    headers: { 'idempotency-key': key, ...headers },
  });
}

const isReplayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

/** A signed deployment, by a wallet that nobody has used. */
async function prepareDeployment() {
  const account = createAccount();
  const agreement = buildLease(chain.token);
  const values = { landlord: account.address, tenant: chain.relayer, rent: '5' };
  const permit = await signDeploy({ account, agreement, values, chainId, factory: chain.factory });
  return { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
}

async function countKeys(key: string): Promise<number> {
  const { rows } = await service.handle.pool.query('select 1 from service.idempotency_keys where key = $1', [
    key,
  ]);
  return rows.length;
}

describe('a request that is sent again with its key', () => {
  test('is answered as before, by every replica', async () => {
    const key = randomUUID();
    const first = await callWith(key);
    expect([first.status, isReplayed(first)]).toEqual([200, false]);
    const again = await callWith(key, { baseUrl: second.baseUrl });
    expect([again.status, isReplayed(again)]).toEqual([200, true]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('x-request-id')).toBe(first.body.meta?.requestId);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('cache-control')).toBe('no-store');
  });

  test('is answered under the request id that it names, in header and body', async () => {
    const key = randomUUID();
    const first = await callWith(key, { headers: { 'x-request-id': 'requestId' } });
    const again = await callWith(key, { headers: { 'x-request-id': 'trace-2' } });
    expect(again.headers.get('x-request-id')).toBe('trace-2');
    expect(again.body).toEqual({ ...first.body, meta: { apiVersion: 'v0', requestId: 'trace-2' } });
  });

  test('is answered with what was true then', async () => {
    const key = randomUUID();
    const body = await prepareDeployment();
    const impatient = await startTestApi(service.databaseUrl, {
      rpcUrls: { [chainId]: chain.rpcUrl },
      env: { DEPLOY_WAIT_MS: '1' },
    });
    const first = await callWith(key, { path: deployment, body, baseUrl: impatient.baseUrl });
    await impatient.close();
    expect(first.body.data).toMatchObject({ status: 'Draft' });
    const { id } = recordShape.parse(first.body.data);
    await worker.fold(id);
    expect((await principal.call('GET', `/v0/agreements/${id}`)).body.data).toMatchObject({
      status: 'Deployed',
    });
    expect((await callWith(key, { path: deployment, body })).body).toEqual(first.body);
    // Without the key it is a request of its own, which the permit leads to the same record.
    const fresh = await principal.call('POST', deployment, { body });
    expect(fresh.body.data).toMatchObject({ id, status: 'Deployed' });
  });

  test('is refused as before', async () => {
    const key = randomUUID();
    const first = await callWith(key, { body: { metadata: {} } });
    expect(first.status).toBe(400);
    const again = await callWith(key, { body: { metadata: {} } });
    expect(isReplayed(again)).toBe(true);
    expect([again.status, again.body]).toEqual([400, first.body]);
  });

  test('is carried out again after a failure of the service', async () => {
    const key = randomUUID();
    const body = await prepareDeployment();
    const cutOff = await startTestApi(service.databaseUrl, { env: { RPC_TIMEOUT_MS: '200' } });
    const first = await callWith(key, { path: deployment, body, baseUrl: cutOff.baseUrl });
    await cutOff.close();
    expect([first.status, await countKeys(key)]).toEqual([503, 0]);
    const work = callWith(key, { path: deployment, body });
    const id = await waitUntil('the deployment is stored', () => findRecord(body.signer));
    await worker.fold(id);
    const again = await work;
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
  });

  test('is carried out again after 24 hours', async () => {
    const key = randomUUID();
    const first = await callWith(key);
    await service.handle.pool.query(
      `update service.idempotency_keys set expires_at = now() where key = $1 and expires_at between
         now() + interval '23:59:00' and now() + interval '24:00:00'`,
      [key],
    );
    const again = await callWith(key);
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
    expect(again.body.meta?.requestId).not.toBe(first.body.meta?.requestId);
  });
});

describe('a key', () => {
  test('of another request is refused', async () => {
    const key = randomUUID();
    await callWith(key);
    for (const other of [
      { body: { ...document().body, more: 1 } },
      { text: ` ${JSON.stringify(document().body)}` },
      { path: '/v0/agreements/validate' },
      { path: `${template}?colour=red` },
    ])
      expect(outcome(await callWith(key, other))).toEqual({
        status: 409,
        code: 'conflict',
        message: 'The Idempotency-Key was used for another request.',
        details: { field: 'Idempotency-Key' },
      });
  });

  test('belongs to one principal', async () => {
    const key = randomUUID();
    await callWith(key);
    const other = await service.createPrincipal();
    const answer = await callWith(key, { by: other, body: { metadata: {} } });
    expect([answer.status, isReplayed(answer)]).toEqual([400, false]);
  });

  test('is the same with and without the quotes of the draft standard', async () => {
    const key = randomUUID();
    await callWith(`"${key}"`);
    expect(isReplayed(await callWith(key))).toBe(true);
  });

  test.each([
    ['that is empty', ''],
    ['that is empty in quotes', '""'],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'two words'],
    ['that was sent twice', 'a, b'],
    ['with a quote in it', 'a"b'],
    ['outside ASCII', 'schlüssel'],
  ])('%s is refused', async (_, key) => {
    expect(outcome(await callWith(key))).toMatchObject({
      status: 400,
      code: 'bad_request',
      details: { field: 'Idempotency-Key' },
    });
  });

  test('of 255 characters is taken, and any is ignored where nothing is posted', async () => {
    expect((await callWith('~'.repeat(255))).status).toBe(200);
    const { status } = await principal.call('GET', '/v0/agreements', { headers: { 'idempotency-key': '' } });
    expect(status).toBe(200);
  });

  test('opens nothing to a caller who is not known, or no longer entitled', async () => {
    const key = randomUUID();
    await callWith(key);
    const stranger = { ...principal, key: `agk_test_${'0'.repeat(64)}` };
    expect((await callWith(key, { by: stranger })).status).toBe(401);
    const reader = await service.createPrincipal(['agreements.read']);
    const another = randomUUID();
    expect((await callWith(another, { by: reader })).status).toBe(403);
    expect(await countKeys(another)).toBe(0);
  });

  test('that has expired is deleted', async () => {
    const [expired, valid] = [randomUUID(), randomUUID()];
    await Promise.all([callWith(expired), callWith(valid)]);
    const { pool } = service.handle;
    await pool.query('update service.idempotency_keys set expires_at = now() where key = $1', [expired]);
    expect(await deleteExpiredKeys(pool)).toBeGreaterThanOrEqual(1);
    expect([await countKeys(expired), await countKeys(valid)]).toEqual([0, 1]);
  });
});

describe('what is stored of an answer', () => {
  test('can still be read when the operator names a first key, or a new one before the old', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const startWith = (keys: string) => startTestApi(service.databaseUrl, { env: { ENCRYPTION_KEY: keys } });
    const without = await startWith('');
    await callWith(one, { baseUrl: without.baseUrl });
    await without.close();
    expect(without.logLines.join('')).toContain('ENCRYPTION_KEY is not set');
    await callWith(other);

    const rotated = await startWith(`${'ab'.repeat(32)},${encryptionKey}`);
    for (const key of [one, other])
      expect(isReplayed(await callWith(key, { baseUrl: rotated.baseUrl }))).toBe(true);
    await rotated.close();
  });

  test('cannot be read in the database, nor moved to another key', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    await callWith(one);
    await callWith(other);
    const { pool } = service.handle;
    const { rows } = await pool.query<{ answer: Buffer }>(
      'select answer from service.idempotency_keys where key = $1',
      [one],
    );
    expect(rows[0]?.answer.toString('latin1')).not.toMatch(/requestId|templateId|200/);
    await pool.query('update service.idempotency_keys set answer = $2 where key = $1', [
      other,
      rows[0]?.answer,
    ]);
    expect(outcome(await callWith(other))).toMatchObject({ status: 500, code: 'internal_error' });
  });
});

/** A process takes long to start on a busy machine. */
describe('a request that is at work', { timeout: 120_000 }, () => {
  test('is not begun a second time, on no replica', async () => {
    const key = randomUUID();
    const body = await prepareDeployment();
    const before = await service.countRows();
    const work = callWith(key, { path: deployment, body });
    const id = await waitUntil('the deployment is stored', () => findRecord(body.signer));
    for (const { baseUrl } of [service, second]) {
      const refused = await callWith(key, { path: deployment, body, baseUrl });
      expect(outcome(refused)).toEqual({
        status: 409,
        code: 'conflict',
        message: 'The request with this Idempotency-Key is still at work.',
        details: { field: 'Idempotency-Key' },
      });
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    await worker.fold(id);
    const first = await work;
    expect(first.body.data).toMatchObject({ id, status: 'Deployed' });
    expect((await callWith(key, { path: deployment, body })).body).toEqual(first.body);
    const after = await service.countRows();
    expect(after.records).toBe(Number(before.records) + 1);
  });

  test('keeps its key for as long as it takes, and not much longer when its process is killed', async () => {
    const key = randomUUID();
    const body = await prepareDeployment();
    const replica = await startReplica(service, chain.rpcUrl);
    replicas.push(replica);
    const { program, baseUrl } = replica;
    callWith(key, { path: deployment, body, baseUrl }).catch(() => {});
    const id = await waitUntil('the deployment is stored', () => findRecord(body.signer));
    const leaseEnds = await readLease(key);
    await waitUntil('the lease is renewed', async () => (await readLease(key)) > leaseEnds);

    program.signal('SIGKILL');
    await program.exited;
    await worker.fold(id);
    expect((await callWith(key, { path: deployment, body })).status).toBe(409);
    const again = await waitUntil('the key is free', async () => {
      const answer = await callWith(key, { path: deployment, body });
      return answer.status === 409 ? undefined : answer;
    });
    expect(again.body.data).toMatchObject({ id, status: 'Deployed' });
    expect(isReplayed(again)).toBe(false);
    expect(isReplayed(await callWith(key, { path: deployment, body }))).toBe(true);
  });
});

async function findRecord(signer: string): Promise<string | undefined> {
  const { rows } = await service.handle.pool.query<{ id: string }>(
    `select r.id from service.records r join service.transactions t on t.id = r.deploy_transaction_id
     where t.signer = $1`,
    [signer],
  );
  return rows[0]?.id;
}

async function readLease(key: string): Promise<number> {
  const { rows } = await service.handle.pool.query<{ lease_until: Date }>(
    'select lease_until from service.idempotency_keys where key = $1',
    [key],
  );
  return rows[0]?.lease_until.getTime() ?? 0;
}
