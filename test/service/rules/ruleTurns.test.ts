import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import { defaultQuotas } from '../../../src/records/quotas/quotas.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
import { chainId, createFixture, type Fixture } from '../projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { insertRecords } from '../support/rows.ts';
import { ruleOf } from './support/ruleScene.ts';

/** The number of one principal's schedules that are due at once. */
const flood = 20_000;
let fixture: Fixture;
let explained: ExplainedPool;
beforeAll(async () => {
  fixture = await createFixture();
  explained = createExplainedPool(fixture.url, {});
});
afterAll(async () => {
  await explained.pool.end();
  await fixture.close();
});

const condition = { type: 'stateAge' as const, threshold: { value: 1, unit: 'seconds' as const } };
const trigger = { type: 'temporal' as const, states: ['dark'], condition, fireOnce: true };
const rule = ruleOf({ trigger, recipients: ['eve@mail.example'] });

/** A principal whose rule has this number of schedules due at this time. */
async function insertDue(name: string, { count, dueMs }: { count: number; dueMs: number }): Promise<void> {
  const { pool } = fixture;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [name]);
  await insertRecords(pool, { id: name }, [
    { id: `agr_${name}`, chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
  ]);
  await pool.query(
    `insert into service.rule_schedules (record_id, principal_id, rule_id, stay, span, chain_id, state, from_state, input_id,
      entered_ms, since_ms, since_block, starts_ms)
    select $1, $2, $3, 'stay ' || at, 'span ' || at, $4, 'dark', '', '__deploy', 0, 0, 1, $5
    from generate_series(1, $6) as at`,
    [`agr_${name}`, name, rule.id, chainId, dueMs, count],
  );
}

/** Fires one batch. Returns the number of firings by principal, of rows read, and of records whose values were read. */
async function fire(after?: string) {
  const count = async () => {
    const { rows } = await fixture.pool.query<{ owner: string; fired: number }>(
      `select principal_id as owner, count(*)::int as fired from service.rule_schedules where next_number > 0
      group by 1 order by 1`,
    );
    return new Map(rows.map(({ owner, fired }) => [owner, fired]));
  };
  const before = await count();
  explained.takeEfforts();
  const client = await explained.pool.connect();
  let next: string | undefined;
  const statements: string[] = [];
  const logger = { logQuery: (text: string) => void statements.push(text) };
  try {
    await client.query('begin');
    ({ next } = await fireDueRules(drizzle(client, { ...drizzleOptions, logger }), {
      chainId,
      clock: { nowMs: 10, confirmedBlock: 5n },
      eventIds: createEventIds(Buffer.from('a secret')),
      createdAt: new Date(),
      after,
    }));
    await client.query('commit');
  } finally {
    client.release();
  }
  const rowsRead = explained.takeEfforts().reduce((sum, effort) => sum + effort.rowsRead, 0);
  const fired = [...(await count())].map(([owner, now]) => [owner, now - (before.get(owner) ?? 0)] as const);
  const valuesRead = statements.filter((text) => text.includes('select variables, ')).length;
  return { next, rowsRead, valuesRead, fired: Object.fromEntries(fired.filter(([, more]) => more > 0)) };
}

test('nobody waits behind the rules of another, nor reads past them, and a round reaches everybody', async () => {
  await insertDue('prn_flood', { count: flood, dueMs: 1 });
  await insertDue('prn_late', { count: 3, dueMs: 9 });
  await insertDue('prn_next', { count: 1, dueMs: 11 });
  await fixture.pool.query('analyze');
  const first = await fire();
  expect(first.fired).toEqual({ prn_flood: 10, prn_late: 3 });
  expect(first.next).toBeUndefined();
  expect(first.rowsRead).toBeLessThan(1_000);

  await fixture.pool.query(
    `insert into service.usage_days (principal_id, day, events) values ('prn_flood', (now() at time zone 'utc')::date, $1)
    on conflict (principal_id, day) do update set events = excluded.events`,
    [defaultQuotas.eventsPerDay],
  );
  await insertDue('prn_more', { count: 1, dueMs: 9 });
  const second = await fire();
  expect(second.fired).toEqual({ prn_more: 1 });
  expect(second.rowsRead).toBeLessThan(1_000);

  for (let at = 0; at < 25; at++)
    await insertDue(`prn_z${String(at).padStart(2, '0')}`, { count: 2, dueMs: 2 });
  const third = await fire();
  expect(Object.keys(third.fired)).toEqual(
    Array.from({ length: 20 }, (_, at) => `prn_z${String(at).padStart(2, '0')}`),
  );
  expect(third.next).toBe('prn_z19');
  const fourth = await fire(third.next);
  expect(Object.keys(fourth.fired)).toEqual(['prn_z20', 'prn_z21', 'prn_z22', 'prn_z23', 'prn_z24']);
  expect(fourth.next).toBeUndefined();
});

test('the values of a record are read once for all its rules that fire together', async () => {
  await fixture.pool.query('delete from service.rule_schedules');
  await insertDue('prn_many', { count: 15, dueMs: 1 });
  await insertRecords(fixture.pool, { id: 'prn_many' }, [
    { id: 'agr_second', chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
  ]);
  await fixture.pool.query(
    `update service.rule_schedules set record_id = 'agr_second', starts_ms = 2 where span in ('span 2', 'span 4', 'span 6')`,
  );
  expect(await fire()).toMatchObject({ fired: { prn_many: 15 }, valuesRead: 2 });
});

test('rules of a record that is not folded to the end wait, and others of its principal do not', async () => {
  const { pool } = fixture;
  await pool.query('delete from service.rule_schedules');
  await insertDue('prn_behind', { count: 2, dueMs: 1 });
  await insertRecords(pool, { id: 'prn_behind' }, [
    { id: 'agr_other', chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
  ]);
  await pool.query(
    `update service.rule_schedules set record_id = 'agr_other' where span = 'span 2' and principal_id = 'prn_behind'`,
  );
  await pool.query(`update service.records set behind = true where id = 'agr_prn_behind'`);
  expect((await fire()).fired).toEqual({ prn_behind: 1 });
  expect((await fire()).fired).toEqual({});
  await pool.query(`update service.records set behind = false where id = 'agr_prn_behind'`);
  await pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ('agr_prn_behind', $1, 'continue', 'x', now())`,
    [chainId],
  );
  expect((await fire()).fired).toEqual({});
  await pool.query('delete from service.quarantined_records');
  expect((await fire()).fired).toEqual({ prn_behind: 1 });
});

test('a rule waits for the confirmations of the block that began its span, however long ago its time came', async () => {
  const { pool } = fixture;
  await pool.query('delete from service.rule_schedules');
  await insertDue('prn_early', { count: 1, dueMs: -3_600_000 });
  await pool.query('update service.rule_schedules set since_block = 6');
  await pool.query(`update service.records set state_block_number = 6 where id = 'agr_prn_early'`);
  expect((await fire()).fired).toEqual({});
  await pool.query('update service.rule_schedules set since_block = 5');
  expect((await fire()).fired).toEqual({ prn_early: 1 });
});

test('a record that waits with many due rules keeps no other record of its principal waiting', async () => {
  const { pool } = fixture;
  await pool.query('delete from service.rule_schedules');
  await insertDue('prn_piled', { count: 1_000, dueMs: 1 });
  await insertRecords(pool, { id: 'prn_piled' }, [
    { id: 'agr_also', chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
    { id: 'agr_free', chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
  ]);
  await pool.query(
    `update service.rule_schedules set record_id = case when span = 'span 1' then 'agr_free' else 'agr_also' end,
      starts_ms = case when span = 'span 1' then 3 else 2 end
    where span in ('span 1') or substr(span, 6)::int > 500`,
  );
  await pool.query('analyze');
  await pool.query(
    `insert into service.record_usage_days (record_id, day, events) values ('agr_prn_piled', (now() at time zone 'utc')::date, $1)`,
    [defaultQuotas.eventsPerDay],
  );
  await pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ('agr_also', $1, 'continue', 'x', now())`,
    [chainId],
  );
  const batch = await fire();
  expect(batch.fired).toEqual({ prn_piled: 1 });
  expect(batch.rowsRead).toBeLessThan(50_000);
  expect((await fire()).fired).toEqual({});
  await pool.query('delete from service.quarantined_records');
  await pool.query('delete from service.record_usage_days');
  expect((await fire()).fired).toEqual({ prn_piled: 20 });
});

test('a batch ends early if its rules cause much, and the others follow', async () => {
  const { pool } = fixture;
  await pool.query('delete from service.rule_schedules');
  await insertDue('prn_loud', { count: 15, dueMs: 1 });
  await insertDue('prn_quiet', { count: 2, dueMs: 1 });
  const manyRecipients = Array.from({ length: 100 }, (_, at) => `o${at}@mail.example`);
  await pool.query('update service.records set notification_template = $2 where id = $1', [
    'agr_prn_loud',
    JSON.stringify({ rules: [{ ...rule, recipients: manyRecipients }] }),
  ]);
  await pool.query(
    `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
    select 'wh_' || at, 'prn_loud', 'https://x.example', '["agreement.notification.triggered"]', ''
    from generate_series(1, 9) as at`,
  );
  const first = await fire();
  expect(first).toMatchObject({ fired: { prn_loud: 2 }, next: 'prn_loud' });
  expect(await fire(first.next)).toMatchObject({ fired: { prn_quiet: 2 }, next: undefined });
  for (let left = 15 - 2; left > 0; left -= 2)
    expect((await fire()).fired).toEqual({ prn_loud: Math.min(left, 2) });
  expect((await fire()).fired).toEqual({});
});
