import { once } from 'node:events';
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeConsistency } from '../../src/api/agreements/consistency.ts';
import { createKey, listKeys, revokeKey } from '../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../src/records/principals/entitlements.ts';
import { connectAgent } from '../mcp/support/connectAgent.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type SessionScene, startSessionScene } from './sessions/support/sessionScene.ts';
import { type Answer, createCall } from './support/call.ts';
import { outcome } from './support/outcome.ts';
import { chainId } from './support/testChain.ts';
import type { TestPrincipal } from './support/testService.ts';

let scene: SessionScene;
let reader: TestPrincipal;
beforeAll(async () => {
  scene = await startSessionScene();
  await scene.service.handle.pool.query(
    `insert into service.projections (chain_id, head_number, head_hash, head_timestamp) values ($1, 7, '0x', now())`,
    [chainId],
  );
});
afterAll(() => scene?.close());

const token = writeConsistency([{ chainId, blockNumber: 7, recordId: null, inputId: null }]);
const list = `/v0/agreements?consistency=${token}`;
const unknown = `agr_${'0'.repeat(32)}`;

/** Reads with a token; during its wait the caller's access ends, and a request without a token is refused. */
async function readDuring<Result>(
  read: () => Promise<Result>,
  { end, ask, status = 401 }: { end(): Promise<unknown>; ask(): Promise<Answer>; status?: number },
): Promise<Result> {
  const { pool } = scene.service.handle;
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table service.projections in access exclusive mode');
    const reading = read();
    await waitUntil(
      'the read waits',
      async () => (await readLockWaits(pool, 'as asked(ordinal int')).length > 0,
    );
    await end();
    await waitUntil('the caller is refused', async () => (await ask()).status === status);
    await holder.query('rollback');
    return await reading;
  } finally {
    holder.release(true);
  }
}

const revoke = async () => {
  const { database } = scene.service.handle;
  const [key] = (await listKeys(database)).filter(({ principalId }) => principalId === reader.id);
  await revokeKey(database, String(key?.id));
};
const ask = () => reader.call('GET', '/v0/agreements');

describe('a read that has waited is refused', () => {
  test('if its key was revoked meanwhile', async () => {
    reader = await scene.service.createPrincipal();
    const answer = await readDuring(() => reader.call('GET', list), { end: revoke, ask });
    expect(outcome(answer)).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('if its key was revoked meanwhile, without keeping the refusal for an Idempotency-Key', async () => {
    reader = await scene.service.createPrincipal();
    const path = `/v0/agreements/${unknown}/simulate?consistency=${token}`;
    const sent = { body: { steps: [] }, headers: { 'idempotency-key': crypto.randomUUID() } };
    const answer = await readDuring(() => reader.call('POST', path, sent), { end: revoke, ask });
    expect(outcome(answer)).toMatchObject({ status: 401, code: 'unauthorized' });
    const { id: principal } = reader;
    const options = { principal, environment: 'testnet' } as const;
    const other = await createKey(scene.service.handle.database, options);
    expect((await createCall(scene.service.baseUrl, other.key)('POST', path, sent)).status).toBe(404);
  });

  test('if its session ended meanwhile', async () => {
    reader = await scene.service.createPrincipal();
    const { browser, session } = await scene.enter({}, reader);
    const answer = await readDuring(() => browser.call('GET', list), {
      end: () => reader.call('DELETE', `/v0/sessions/${session.id}`),
      ask: () => browser.call('GET', '/v0/agreements'),
    });
    expect(outcome(answer)).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('if its principal lost the scope meanwhile', async () => {
    reader = await scene.service.createPrincipal(['agreements.read']);
    const { database } = scene.service.handle;
    const lost = { principal: reader.id, scope: 'agreements.read', mode: 'blocked' } as const;
    const answer = await readDuring(() => reader.call('GET', list), {
      ...{ ask, status: 403 },
      end: () => setEntitlement(database, lost),
    });
    expect(outcome(answer)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('if its principal lost the scope meanwhile, without keeping the refusal for an Idempotency-Key', async () => {
    reader = await scene.service.createPrincipal();
    const { database } = scene.service.handle;
    const scope = { principal: reader.id, scope: 'agreements.read' } as const;
    const path = `/v0/agreements/${unknown}/simulate?consistency=${token}`;
    const sent = { body: { steps: [] }, headers: { 'idempotency-key': crypto.randomUUID() } };
    const answer = await readDuring(() => reader.call('POST', path, sent), {
      ...{ ask, status: 403 },
      end: () => setEntitlement(database, { ...scope, mode: 'blocked' }),
    });
    expect(outcome(answer)).toMatchObject({ status: 403, code: 'forbidden' });
    await setEntitlement(database, { ...scope, mode: 'free_allowlist' });
    await waitUntil('the scope is back', async () => (await ask()).status === 200);
    expect((await reader.call('POST', path, sent)).status).toBe(404);
  });

  test("if an agent's key was revoked meanwhile", async () => {
    reader = await scene.service.createPrincipal();
    const agent = await connectAgent({ baseUrl: scene.service.baseUrl, apiKey: reader.key });
    const args = { agreementId: unknown, consistency: token };
    const answer = await readDuring(() => agent.call('read_agreement', args), { end: revoke, ask });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('The API key is revoked.');
    await agent.close();
  });
});

/** Sends the end of a body after the caller's access has ended. */
async function sendSlowly(path: string, body: object, more: Record<string, string> = {}) {
  const { baseUrl } = scene.service;
  const text = JSON.stringify(body);
  const headers = {
    ...{ 'x-api-key': reader.key, 'content-type': 'application/json' },
    ...more,
    ...{ accept: 'application/json, text/event-stream', 'content-length': Buffer.byteLength(text) },
  };
  const sending = request(`${baseUrl}${path}`, { method: 'POST', headers });
  const beganAt = performance.now();
  sending.write(text.slice(0, 5));
  await waitUntil('the body is late', async () => performance.now() - beganAt > 200);
  await revoke();
  await waitUntil('the caller is refused', async () => (await ask()).status === 401);
  const answered = once(sending, 'response');
  sending.end(text.slice(5));
  const [response] = await answered;
  return { status: response.statusCode, text: await readText(response) };
}

describe('a request whose key was revoked while its body was on its way', () => {
  test('changes nothing', async () => {
    reader = await scene.service.createPrincipal();
    const answer = await sendSlowly('/v0/sessions/links', { label: 'Late' });
    expect(answer).toMatchObject({ status: 401 });
  });

  test('gets nothing that an Idempotency-Key keeps', async () => {
    reader = await scene.service.createPrincipal();
    const headers = { 'idempotency-key': 'late' };
    const body = { label: 'Late' };
    expect((await reader.call('POST', '/v0/sessions/links', { body, headers })).status).toBe(200);
    expect(await sendSlowly('/v0/sessions/links', body, headers)).toMatchObject({ status: 401 });
  });

  test('runs no tool', async () => {
    reader = await scene.service.createPrincipal();
    const params = { name: 'find_agreements', arguments: {} };
    const answer = await sendSlowly('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(answer.text).toContain('The API key is revoked.');
  });
});

test('a read that has waited is answered if its key is still in force', async () => {
  reader = await scene.service.createPrincipal();
  const answer = await readDuring(() => reader.call('GET', list), {
    ...{ ask, status: 200 },
    end: async () => {},
  });
  expect(answer.status).toBe(200);
});
