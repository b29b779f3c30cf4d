import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { measureRecord } from '../../src/api/agreements/storeRecord.ts';
import { runAdmin } from '../../src/cli/admin/runAdmin.ts';
import { createId } from '../../src/platform/database/ids.ts';
import { inTransaction } from '../../src/platform/database/inTransaction.ts';
import { createQuotaKeeper, type QuotaKeeper } from '../../src/records/quotas/quotaKeeper.ts';
import { defaultQuotas, quotaNames, readQuotas, setQuota } from '../../src/records/quotas/quotas.ts';
import { addRecordUsage, addTotals, addUsage } from '../../src/records/quotas/usage.ts';
import { planTest } from '../../src/records/webhooks/testDelivery.ts';
import { queueMails } from '../../src/worker/notifier/queueMails.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { lamp } from './projector/support/scene.ts';
import { insertRecord } from './projector/support/serviceRows.ts';
import { createBrowser } from './sessions/support/browser.ts';
import { insertRecords } from './support/rows.ts';
import { seedOutbox } from './support/seedOutbox.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

let service: TestService;
beforeAll(async () => {
  // Nothing delivers here, so a test of a webhook waits for as long as it may.
  service = await startTestService({ env: { WEBHOOK_TIMEOUT_MS: '1' } });
});
afterAll(() => service.close());

async function administer(...words: string[]): Promise<unknown> {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const env = { DATABASE_URL: service.databaseUrl };
  const code = await runAdmin({ words: [...words, '--json'], env, print, printError: print });
  expect(code, printed.join(' ')).toBe(0);
  return JSON.parse(printed.join(''));
}

const address = '0x00000000000000000000000000000000000000A1';
const adopt = ({ call }: TestPrincipal) =>
  call('POST', '/v0/agreements/import', {
    body: { chainId: 59141, address, agreement: lamp.agreement, displayName: 'A lamp' },
  });
const deploy = ({ call }: TestPrincipal) =>
  call('POST', '/v0/agreements/deploy-with-permit', {
    body: {
      chainId: 59141,
      agreement: lamp.agreement,
      displayName: 'A lamp',
      docUri: 'ipfs://x',
      initValues: { holder: address, brightness: '1', remark: '' },
      signer: address,
      deadline: 4_000_000_000,
      signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'1'.repeat(64)}` },
    },
  });

test('writes beyond a quota are refused with its name, those of others are not, and the operator can raise it', async () => {
  const [used, other] = [await service.createPrincipal(), await service.createPrincipal()];
  for (const share of [1, defaultQuotas.gasPerDay - 1])
    await addUsage(service.handle.database, [{ principalId: used.id, gas: BigInt(share) }]);
  for (const adoptedAgreements of [defaultQuotas.adoptedAgreements - 1, 1])
    await addTotals(service.handle.database, [{ principalId: used.id, adoptedAgreements }]);
  expect(await deploy(used)).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', details: { reason: 'quota_exceeded', quota: 'gasPerDay' } } },
  });
  expect(await adopt(used)).toMatchObject({
    status: 402,
    body: {
      error: {
        code: 'payment_required',
        details: { reason: 'storage_exceeded', quota: 'adoptedAgreements' },
      },
    },
  });
  // Here no node answers for the chain, so a write within its quotas ends with 503.
  for (const answer of [await deploy(other), await adopt(other)]) expect(answer.status).toBe(503);

  const raised = await service.createPrincipal();
  await administer('quotas', 'set', raised.name, 'openTransactions', '0');
  expect(await deploy(raised)).toMatchObject({ status: 429, body: { error: { details: { limit: 0 } } } });
  const listed = await administer('quotas', 'list', '--principal', raised.name);
  expect(listed).toHaveLength(quotaNames.length);
  expect(listed).toContainEqual(
    expect.objectContaining({ quota: 'openTransactions', used: 0, limit: 0, isDefault: false }),
  );
  const last = await service.createPrincipal();
  await administer('quotas', 'set', last.name, 'openTransactions', '0');
  await administer('quotas', 'set', last.name, 'openTransactions', 'default');
  // Others may use up its events and mails by moving its agreements: that keeps it from nothing.
  for (const quota of ['eventsPerDay', 'mailsPerDay'])
    await administer('quotas', 'set', last.name, quota, '0');
  expect((await deploy(last)).status).toBe(503);
});

test('a principal has no more open transactions than its quota, whenever and by whichever process they were accepted', async () => {
  const [full, free] = [await service.createPrincipal(), await service.createPrincipal()];
  let from = 0;
  const seed = async ({ id }: TestPrincipal, state: 'accepted' | 'signed' | 'final', count: number) => {
    await seedOutbox(service.handle.pool, {
      chainId: 59141,
      wallet: address,
      from,
      count,
      state,
      principalId: id,
    });
    from += count;
  };
  await seed(full, 'accepted', 2);
  await seed(full, 'signed', 2);
  await seed(free, 'accepted', 2);
  await seed(free, 'signed', 1);
  await seed(free, 'final', 5);
  for (const { name } of [full, free]) await administer('quotas', 'set', name, 'openTransactions', '4');
  expect(await deploy(full)).toMatchObject({
    status: 429,
    body: { error: { details: { reason: 'quota_exceeded', quota: 'openTransactions', limit: 4 } } },
  });
  expect((await deploy(free)).status).toBe(503);
  const listed = await administer('quotas', 'list', '--principal', free.name);
  expect(listed).toContainEqual(expect.objectContaining({ quota: 'openTransactions', used: 3, limit: 4 }));
});

test('what another principal uses and may use counts for it alone, and yesterday’s use for nobody', async () => {
  const { database, pool } = service.handle;
  const [own, other] = [await service.createPrincipal(), await service.createPrincipal()];
  const use = { events: 1, eventBytes: 2, mails: 3, gas: 4n, answerBytes: 5 };
  await addUsage(database, [{ principalId: own.id, ...use }]);
  await pool.query('update service.usage_days set day = day - 1 where principal_id = $1', [own.id]);
  await addUsage(database, [{ principalId: other.id, ...use }]);
  await addTotals(database, [{ principalId: other.id, storedBytes: 6, adoptedAgreements: 7 }]);
  await setQuota(database, { principal: other.id, quota: 'gasPerDay', value: 8 });
  expect(await readQuotas(database, own.id)).toEqual(
    quotaNames.map((quota) => ({ quota, used: 0, limit: defaultQuotas[quota], isDefault: true })),
  );
  for (const quota of ['gasPerDay', 'mailsPerDay'] as const)
    await setQuota(database, { principal: own.id, quota, value: 9 });
  await setQuota(database, { principal: own.id, quota: 'gasPerDay', value: null });
  const readSet = async ({ id }: TestPrincipal) =>
    (await readQuotas(database, id)).flatMap(({ quota, limit, isDefault }) =>
      isDefault ? [] : [[quota, limit]],
    );
  expect(await readSet(own)).toEqual([['mailsPerDay', 9]]);
  expect(await readSet(other)).toEqual([['gasPerDay', 8]]);
});

test('a quota may be larger than any number of four bytes', async () => {
  const { database } = service.handle;
  const { id, name } = await service.createPrincipal();
  const value = 3_000_000_000;
  for (const quota of quotaNames) await setQuota(database, { principal: name, quota, value });
  expect((await readQuotas(database, id)).map(({ limit }) => limit)).toEqual(quotaNames.map(() => value));
});

test('kept answers count at once, are returned beyond the quota too, and a refusal is not kept', async () => {
  const principal = await service.createPrincipal();
  await administer('quotas', 'set', principal.name, 'answerBytesPerDay', '1');
  const validate = (key: string) =>
    principal.call('POST', '/v0/agreements/validate-template', {
      body: lamp.agreement,
      headers: { 'idempotency-key': key },
    });
  const first = await validate('first');
  expect(first.status).toBe(200);
  expect(await validate('second')).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', message: expect.stringContaining('Idempotency-Key') } },
  });
  const again = await validate('first');
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body.data).toEqual(first.body.data);
  await administer('quotas', 'set', principal.name, 'answerBytesPerDay', 'default');
  await expect.poll(async () => (await validate('second')).status).toBe(200);
});

test('links and sessions count with what is kept for a day, and no link is created beyond that quota', async () => {
  const principal = await service.createPrincipal();
  const recordId = createId('agr');
  await insertRecords(service.handle.pool, principal, [{ id: recordId }]);
  const share = () =>
    principal.call('POST', `/v0/agreements/${recordId}/links`, {
      body: { may: 'read', expiresInSeconds: 1, note: 'é'.repeat(500) },
    });
  const invite = () => principal.call('POST', '/v0/sessions/links');
  const enter = () =>
    createBrowser(service.baseUrl).call('POST', '/v0/sessions', { headers: { 'x-api-key': principal.key } });
  const readStored = async () =>
    (await readQuotas(service.handle.database, principal.id)).find(
      ({ quota }) => quota === 'answerBytesPerDay',
    )?.used ?? 0;
  let stored = await readStored();
  for (const [write, least] of [
    [share, 1_000],
    [invite, 300],
    [enter, 150],
  ] as const) {
    expect((await write()).status).toBe(200);
    await expect.poll(readStored, { timeout: 20_000 }).toBeGreaterThan(stored + least);
    stored = await readStored();
  }
  await administer('quotas', 'set', principal.name, 'answerBytesPerDay', String(stored));
  for (const write of [share, invite])
    await expect
      .poll(write, { timeout: 20_000 })
      .toMatchObject({ status: 429, body: { error: { details: { reason: 'quota_exceeded' } } } });
  expect((await enter()).status).toBe(200);
});

test('test events and redeliveries count as events of the day, and are refused beyond its quota', async () => {
  const principal = await service.createPrincipal();
  const { body } = await principal.call('POST', '/v0/webhooks', { body: { url: 'https://93.184.215.14/' } });
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(body).data;
  const { deliveryId } = await planTest(service.handle.database, { id, principalId: principal.id }, 1);
  const redeliver = () => principal.call('POST', `/v0/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
  expect((await redeliver()).status).toBe(200);
  expect((await principal.call('POST', `/v0/webhooks/${id}/test`)).status).toBe(200);
  await waitUntil('both are counted', async () => {
    const states = await readQuotas(service.handle.database, principal.id);
    return states.find(({ quota }) => quota === 'eventsPerDay')?.used === 2;
  });
  const spent = await service.createPrincipal();
  await administer('quotas', 'set', spent.name, 'eventsPerDay', '0');
  for (const path of ['test', `deliveries/${deliveryId}/redeliver`])
    expect(await spent.call('POST', `/v0/webhooks/${id}/${path}`)).toMatchObject({
      status: 429,
      body: { error: { details: { reason: 'quota_exceeded', quota: 'eventsPerDay' } } },
    });
});

test('webhooks are stored for ever, and count with the bytes of what they hold', async () => {
  const principal = await service.createPrincipal();
  await administer('quotas', 'set', principal.name, 'storedBytes', '300');
  const create = () =>
    principal.call('POST', '/v0/webhooks', {
      body: { url: 'https://93.184.215.14/', filters: { toStates: ['é'.repeat(130)] } },
    });
  expect((await create()).status).toBe(200);
  expect(await create()).toMatchObject({
    status: 402,
    body: { error: { details: { reason: 'storage_exceeded', quota: 'storedBytes' } } },
  });
});

test('what a change adds to a webhook counts as well, as long as the webhook holds it', async () => {
  const principal = await service.createPrincipal();
  await administer('quotas', 'set', principal.name, 'storedBytes', '900');
  const url = 'https://93.184.215.14/';
  const create = () => principal.call('POST', '/v0/webhooks', { body: { url } });
  const { body } = await create();
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(body).data;
  const change = (length: number) => {
    const toStates = Array.from({ length: length / 100 }, () => 'x'.repeat(97));
    return principal.call('PATCH', `/v0/webhooks/${id}`, { body: { filters: { toStates } } });
  };
  // What stays as it is adds nothing. What is gone does not count any more, however often it was there.
  for (const length of [400, 400, 100, 400, 100]) expect((await change(length)).status).toBe(200);
  // Two requests of one change add it once.
  for (const { status } of await Promise.all([change(200), change(200)])) expect(status).toBe(200);
  expect((await create()).status).toBe(200);
  expect((await change(1_400)).status).toBe(200);
  expect(await create()).toMatchObject({
    status: 402,
    body: { error: { details: { reason: 'storage_exceeded', quota: 'storedBytes' } } },
  });
});

test('all that a record holds counts, in bytes', () => {
  const record = {
    agreement: { note: '€' },
    values: { a: 'é' },
    participants: [],
    observers: ['a@b.example'],
    contributors: [],
    notificationTemplate: { rules: ['x'.repeat(1_000)] },
  };
  expect(measureRecord(record)).toBe(16 - 1 + 2 * 10 + 2 + 15 + 2 + 1_014 - 1);
});

test('mails beyond the daily quota are skipped, and principals with fewer mails come first', async () => {
  const { pool, database } = service.handle;
  const [many, few] = [await service.createPrincipal(), await service.createPrincipal()];
  const due: { firingId: string; principalId: string; recordId: string }[] = [];
  for (const [{ id: principalId }, count] of [
    [many, 3],
    [few, 1],
  ] as const) {
    const recordId = await insertRecord(database, { principalId, chainId: 59141, lamp });
    for (let at = 0; at < count; at++) {
      const firingId = `firing ${principalId} ${at}`;
      due.push({ firingId, principalId, recordId });
      await pool.query(
        `insert into service.rule_firings (id, record_id, rule_id, recipient, occasion, trigger_type, channel, state, chain_id)
          values ($1, $2, 'r', 'a@b.example', $1, 'temporal', 'email', 'released', 59141)`,
        [firingId, recordId],
      );
      await pool.query(
        `insert into service.mails (firing_id, address, subject, body, status) values ($1, 'a@b.example', 's', 'b', 'due')`,
        [firingId],
      );
    }
  }
  await administer('quotas', 'set', many.name, 'mailsPerDay', '4');
  const client = await pool.connect();
  await client.query('begin');
  await queueMails(drizzle(client, { casing: 'snake_case' }), due);
  await client.query('commit');
  client.release();
  const { rows: skipped } = await pool.query(`select firing_id from service.mails where status = 'skipped'`);
  expect(skipped).toEqual([{ firing_id: `firing ${many.id} 2` }]);
  const { rows: queued } = await pool.query(
    `select job.key, job.priority from graphile_worker.jobs job order by job.priority, job.key`,
  );
  expect(queued.map(({ priority }) => priority)).toEqual([0, 0, 1]);
  expect(queued.at(-1)?.key).toBe(`mail:firing ${many.id} 1`);
});

describe('while newer data are being read', () => {
  let keeper: QuotaKeeper;
  let client: pg.PoolClient;
  let id: string;
  let nowMs: number;
  beforeEach(async () => {
    const { database, pool } = service.handle;
    ({ id } = await service.createPrincipal());
    nowMs = 0;
    keeper = createQuotaKeeper({ database, logger: pino({ level: 'silent' }), now: () => nowMs });
    client = await pool.connect();
    await keeper.check(id, 'deploy');
    await client.query('begin; lock table service.usage_days');
    nowMs = 1_500;
    await keeper.check(id, 'deploy');
  });
  afterEach(async () => {
    await client.query('rollback');
    client.release();
    await keeper.close();
  });
  /** The outcome of a check that does not go by the older data any more. */
  const checkLater = () => {
    nowMs = 2_001;
    return keeper.check(id, 'deploy').then(
      () => 'allowed',
      ({ reason }) => reason,
    );
  };

  test('a check goes by what is known, and never by data of more than two seconds ago', async () => {
    const checked = checkLater();
    const gas = BigInt(defaultQuotas.gasPerDay);
    await client.query(
      `insert into service.usage_days (principal_id, day, gas) values ($1, (now() at time zone 'utc')::date, $2)`,
      [id, gas],
    );
    await client.query('commit');
    // The statement that waited for the lock began before the commit, but sees the committed row.
    expect(await checked).toBe('quota_exceeded');
  });

  test('usage that is noted counts with the newer data too', async () => {
    keeper.note(id, { openTransactions: defaultQuotas.openTransactions });
    const checked = checkLater();
    await client.query('commit');
    expect(await checked).toBe('quota_exceeded');
  });
});

test('usage that is noted and not stored yet counts for its own principal alone', async () => {
  const [own, other] = [await service.createPrincipal(), await service.createPrincipal()];
  const { database } = service.handle;
  const keeper = createQuotaKeeper({ database, logger: pino({ level: 'silent' }) });
  keeper.note(other.id, { storedBytes: defaultQuotas.storedBytes });
  await keeper.check(own.id, 'webhook');
  await expect(keeper.check(other.id, 'webhook')).rejects.toMatchObject({ reason: 'storage_exceeded' });
  await keeper.close();
});

test('usage that the database could not store is stored later', async () => {
  const { id } = await service.createPrincipal();
  const { database, pool } = service.handle;
  const said: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => said.push(line) });
  const keeper = createQuotaKeeper({ database, logger });
  await pool.query('alter table service.usage_totals rename to usage_elsewhere');
  try {
    keeper.note(id, { gas: 5n, storedBytes: 7 });
    await expect.poll(() => said.join(), { timeout: 10_000 }).toContain('failed to store the usage');
  } finally {
    await pool.query('alter table service.usage_elsewhere rename to usage_totals');
    await keeper.close();
  }
  const { rows } = await pool.query(
    `select gas, stored_bytes from service.usage_days join service.usage_totals using (principal_id) where principal_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ gas: '5', stored_bytes: '7' }]);
});

describe('the gas of guests', () => {
  let keeper: QuotaKeeper;
  let said: string[];
  let id: string;
  /** In the order of their ids. */
  let first: string;
  let second: string;
  beforeEach(async () => {
    const { database } = service.handle;
    said = [];
    const logger = pino({ level: 'warn' }, { write: (line) => said.push(line) });
    keeper = createQuotaKeeper({ database, logger });
    ({ id } = await service.createPrincipal());
    const record = () => insertRecord(database, { principalId: id, chainId: 59141, lamp });
    [first = '', second = ''] = [await record(), await record()].sort();
  });
  const readGuestGas = async () => {
    const { rows } = await service.handle.pool.query<{ guest_gas: string }>(
      'select guest_gas from service.record_usage_days where record_id = any($1) order by record_id',
      [[first, second]],
    );
    return rows.map(({ guest_gas: gas }) => gas);
  };
  const noteGuests = (ofFirst: bigint, ofSecond: bigint) => {
    keeper.note(id, { gas: ofFirst, guestsOf: first });
    keeper.note(id, { gas: ofSecond, guestsOf: second });
  };

  test('is stored although a transaction holds the counter of one agreement and then needs that of another', async () => {
    const { database, pool } = service.handle;
    await inTransaction(database, async (transaction) => {
      await addRecordUsage(transaction, [{ recordId: second, mails: 1 }]);
      noteGuests(5n, 7n);
      await waitUntil('the second counter is waited for', async () => (await readLockWaits(pool)).length > 0);
      // Waits for nobody: whoever waits for a counter holds none.
      await transaction.execute(sql`set local lock_timeout = '500ms'`);
      await addRecordUsage(transaction, [{ recordId: first, mails: 1 }]);
    });
    await keeper.close();
    expect(await readGuestGas()).toEqual(['5', '7']);
  });

  test('counts once for their principal while the counter of an agreement is locked', async () => {
    const { database, pool } = service.handle;
    const share = (BigInt(defaultQuotas.gasPerDay) * 2n) / 3n;
    await inTransaction(database, async (transaction) => {
      await addRecordUsage(transaction, [{ recordId: first, mails: 1 }]);
      noteGuests(share, 0n);
      await waitUntil('the counter is waited for', async () => (await readLockWaits(pool)).length > 0);
      await keeper.check(id, 'deploy');
    });
    await keeper.close();
  });

  test('does not delay the usage of principals while the counter of an agreement is locked', async () => {
    const { database, pool } = service.handle;
    const readGas = async () =>
      (await readQuotas(database, id)).find(({ quota }) => quota === 'gasPerDay')?.used;
    await inTransaction(database, async (transaction) => {
      await addRecordUsage(transaction, [{ recordId: first, mails: 1 }]);
      noteGuests(5n, 7n);
      await waitUntil('the counter is waited for', async () => (await readLockWaits(pool)).length > 0);
      keeper.note(id, { gas: 3n });
      await waitUntil('the usage of the principal is stored', async () => (await readGas()) === 15);
    });
    await keeper.close();
    expect(await readGuestGas()).toEqual(['5', '7']);
    expect(await readGas()).toBe(15);
  });

  test('that the database could not store is stored later, and once', async () => {
    const { database, pool } = service.handle;
    await pool.query('alter table service.record_usage_days rename to usage_elsewhere');
    try {
      noteGuests(5n, 7n);
      await waitUntil('it has failed', () => said.join().includes('usage of guests'));
    } finally {
      await pool.query('alter table service.usage_elsewhere rename to record_usage_days');
      await keeper.close();
    }
    expect(await readGuestGas()).toEqual(['5', '7']);
    const used = (await readQuotas(database, id)).find(({ quota }) => quota === 'gasPerDay')?.used;
    expect(used).toBe(12);
  });
});
