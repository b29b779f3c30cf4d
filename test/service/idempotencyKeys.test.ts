import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteExpiredKeys } from '../../src/api/idempotency/expiredKeys.ts';
import { createIdempotencyStore } from '../../src/api/idempotency/idempotencyStore.ts';
import { createLeaseKeeper } from '../../src/api/idempotency/keyLeaseKeeper.ts';
import { createCipher } from '../../src/platform/encryption/cipher.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  countKeys,
  createKeyedCall,
  isReplayed,
  type KeyedCall,
  template,
  templatePath,
} from './support/keyedCall.ts';
import { outcome } from './support/outcome.ts';
import {
  encryptionKey,
  startTestApi,
  startTestService,
  type TestPrincipal,
  type TestService,
} from './support/testService.ts';

let service: TestService;
let principal: TestPrincipal;
let callWith: KeyedCall;
beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
  callWith = createKeyedCall(service, principal);
});
afterAll(() => service?.close());

describe('a key', () => {
  test('of another request is refused', async () => {
    const key = randomUUID();
    await callWith(key);
    for (const other of [
      { body: { ...template.body, more: 1 } },
      { text: ` ${JSON.stringify(template.body)}` },
      { path: '/v0/agreements/validate' },
      { path: `${templatePath}?colour=red` },
    ])
      expect(outcome(await callWith(key, other))).toEqual({
        status: 409,
        code: 'conflict',
        message: 'The Idempotency-Key was already used for another request.',
        details: { field: 'Idempotency-Key' },
      });
  });

  test('whose process died answers the same request again, and never another one', async () => {
    const key = randomUUID();
    await callWith(key);
    await service.handle.pool.query(
      `update service.idempotency_keys set answer = null, lease_until = now() - interval '1 second' where key = $1`,
      [key],
    );
    expect((await callWith(key, { body: { ...template.body, more: 1 } })).status).toBe(409);
    const again = await callWith(key);
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
  });

  test('that another process has taken over is neither answered nor freed by the one before', async () => {
    const cipher = createCipher([Buffer.from(encryptionKey, 'hex')]);
    const { pool } = service.handle;
    const store = createIdempotencyStore({ pool, cipher, logger: pino({ level: 'silent' }) });
    const request = { principalId: principal.id, key: randomUUID(), fingerprint: '0x1' };
    const begin = async () => {
      const begun = await store.begin(request, (read) => read());
      return { kind: begun.kind, attempt: begun.kind === 'begun' ? begun.attempt : undefined };
    };
    const lost = await begin();
    await pool.query(
      `update service.idempotency_keys set lease_until = now() - interval '1 second' where key = $1`,
      [request.key],
    );
    const running = await begin();
    expect([lost.kind, running.kind]).toEqual(['begun', 'begun']);
    await lost.attempt?.complete({ status: 200, headers: {}, text: 'late' });
    await lost.attempt?.reopen();
    await lost.attempt?.release();
    expect((await begin()).kind).toBe('inFlight');
    const answer = { status: 200, headers: {}, text: 'in time' };
    await running.attempt?.complete(answer);
    expect(await store.begin(request, (read) => read())).toEqual({ kind: 'answered', answer });
    store.close();
  });

  test('that is answered is not leased again, for then its request could begin once more', async () => {
    const { pool } = service.handle;
    const logger = pino({ level: 'silent' });
    const [answered, running] = [randomUUID(), randomUUID()];
    for (const key of [answered, running]) await callWith(key);
    const ofRunning = 'update service.idempotency_keys set lease_until = now() where key = $1';
    await pool.query(ofRunning, [running]);
    const read = async (key: string) => {
      const { rows } = await pool.query<{ attempt: string; until: Date | null; isLeased: boolean | null }>(
        `select attempt_id as attempt, lease_until as until, lease_until > now() as "isLeased"
         from service.idempotency_keys where key = $1`,
        [key],
      );
      return rows[0] ?? expect.fail('there is no such key');
    };
    const leases = createLeaseKeeper({ pool, leaseSeconds: 1, logger });
    for (const key of [answered, running]) leases.keep([principal.id, key, (await read(key)).attempt]);
    await waitUntil('the other lease is renewed', async () => (await read(running)).isLeased);
    leases.close();
    expect((await read(answered)).until).toBeNull();
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
    expect(await countKeys(service, another)).toBe(0);
  });

  test('that has expired is deleted', async () => {
    const [expired, valid] = [randomUUID(), randomUUID()];
    await Promise.all([callWith(expired), callWith(valid)]);
    const { pool } = service.handle;
    await pool.query('update service.idempotency_keys set expires_at = now() where key = $1', [expired]);
    // The service itself also deletes expired keys from time to time.
    await deleteExpiredKeys(pool);
    await expect.poll(() => countKeys(service, expired)).toBe(0);
    expect(await countKeys(service, valid)).toBe(1);
  });
});

describe('the stored answer', () => {
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
    expect(rows[0]?.answer.toString('latin1')).not.toMatch(/requestId|templateId|"status":200/);
    await pool.query('update service.idempotency_keys set answer = $2 where key = $1', [
      other,
      rows[0]?.answer,
    ]);
    expect(outcome(await callWith(other))).toMatchObject({ status: 500, code: 'internal_error' });
  });
});
