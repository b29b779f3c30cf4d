import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readFeed } from '../../../src/records/events/readFeed.ts';
import { readQuotas } from '../../../src/records/quotas/quotas.ts';
import { readBodies } from '../../../src/worker/deliverer/deliveryBodies.ts';
import { findDueDeliveries } from '../../../src/worker/deliverer/dueDeliveries.ts';
import { createLamp, lampVariables } from '../projector/support/lamp.ts';
import { annotate, deployment, input, toggle } from '../projector/support/scene.ts';
import { createFixture, emptyDatabase, type Fixture } from '../projector/support/setup.ts';
import { createRuleScene, ruleOf } from './support/ruleScene.ts';

const confirmations = 3;
let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(() => emptyDatabase(fixture));
afterAll(() => fixture.close());

const begin = (...rules: Parameters<typeof createRuleScene>[1]['rules']) =>
  createRuleScene(fixture, { rules, confirmations });

test('a rule notifies each of its recipients once, right after the transition and its confirmations', async () => {
  const scene = await begin(
    ruleOf({ recipients: ['holder', '*', '@observers', 'ALICE@mail.example'] }),
    ruleOf({ id: 'other', trigger: { type: 'onTransition', from: ['lit'] } }),
    ruleOf({ id: 'off', enabled: false }),
  );
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')), input(annotate('bright')), input(toggle('6')));
  await scene.mine();
  expect(await scene.told()).toEqual([]);
  await scene.mine();
  expect(
    (await scene.told()).map(({ data }) => [data.ruleId, data.recipient, data.notification.body]),
  ).toEqual([
    ['rule', 'alice@mail.example', 'dark>lit '],
    ['rule', 'eve@mail.example', 'dark>lit '],
    ['rule', 'alice@mail.example', 'lit>dark bright'],
    ['rule', 'eve@mail.example', 'lit>dark bright'],
    ['other', 'alice@mail.example', 'lit>dark bright'],
  ]);
  const feed = await fixture.pool.query<{ type: string }>(
    'select type from service.events order by position',
  );
  expect(feed.rows.map(({ type }) => type.split('.')[1])).toEqual([
    'transitioned',
    'transitioned',
    ...['notification', 'notification'],
    'transitioned',
    ...['notification', 'notification', 'notification'],
  ]);
});

test('an event says all that is known, and the deployment is a transition too', async () => {
  const { notification } = ruleOf();
  const trigger = { type: 'onTransition' as const, inputs: ['__deploy'] };
  const scene = await begin(
    ruleOf({ trigger, notification: { ...notification, title: 'T', ctaLabel: 'Go' } }),
  );
  await scene.mineAt(1_700_000_000, deployment());
  await scene.mineAt(1_700_000_012);
  await scene.mineAt(1_700_000_024);
  const [event] = await scene.told();
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{64}$/),
    type: 'agreement.notification.triggered',
    apiVersion: '2026-06-01',
    createdAt: expect.any(String),
    data: {
      agreementId: scene.recordId,
      agreementName: 'A lamp',
      templateId: 'did:template:lamp',
      notificationTemplateId: 'did:template:lamp',
      ruleId: 'rule',
      triggerType: 'onTransition',
      recipient: 'alice@mail.example',
      notification: { subject: 'A lamp', title: 'T', body: '>dark ', ctaLabel: 'Go' },
      variables: { brightness: '1', holder: '0x00000000000000000000000000000000000000A1', remark: '' },
      transition: {
        fromState: '',
        toState: 'dark',
        inputId: '__deploy',
        occurredAt: '2023-11-14T22:13:20.000Z',
      },
    },
  });
});

test('the notifications of a transition are withdrawn with it, and are the same when it comes back', async () => {
  const scene = await begin(ruleOf(), ruleOf({ id: 'mail' }, 'email'));
  await scene.mine(deployment());
  await scene.mine();
  await scene.mine();
  const event = input(toggle('5'));
  await scene.mine(event);
  const before = await scene.firings();
  expect(before.map(({ state }) => state)).toEqual(['pending', 'pending']);
  expect(await scene.mails()).toMatchObject([{ status: 'waiting' }]);

  scene.drop(1);
  scene.add();
  await scene.mine();
  expect((await scene.firings()).map(({ state }) => state)).toEqual(['withdrawn', 'withdrawn']);
  expect(await scene.mails()).toMatchObject([{ status: 'withdrawn' }]);
  await scene.mine();
  await scene.mine();
  expect(await scene.told()).toEqual([]);

  await scene.mine(event);
  await scene.mine();
  await scene.mine();
  const after = await scene.firings();
  expect(new Set(after.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)));
  expect(await scene.told()).toHaveLength(1);
  expect(await scene.mails()).toMatchObject([
    { address: 'alice@mail.example', status: 'due', subject: 'A lamp', body: 'dark>lit ' },
  ]);
});

test('released notifications stay as they are when their transition falls out and comes back', async () => {
  const scene = await begin(ruleOf(), ruleOf({ id: 'mail' }, 'email'));
  await scene.mine(deployment());
  const event = input(toggle('5'));
  await scene.mine(event);
  await scene.mine();
  await scene.mine();
  await scene.query(sql`update service.mails set status = 'sent'`);
  const before = [await scene.firings(), await scene.mails(), await scene.told()];
  scene.drop(3);
  scene.add();
  await scene.mine(event);
  expect([await scene.firings(), await scene.mails(), await scene.told()]).toEqual(before);
  await scene.mine();
  await scene.mine();
  expect([await scene.firings(), await scene.mails(), await scene.told()]).toEqual(before);
});

test('the text of a mail beyond the quota of the day is not stored', async () => {
  const scene = await begin(ruleOf({ recipients: ['holder', '@observers'] }, 'email'));
  await fixture.pool.query(
    `insert into service.principal_quotas (principal_id, quota, value) values ($1, 'mailsPerDay', 6)`,
    [scene.principalId],
  );
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')), input(toggle('2')));
  const error = 'The quota of mails for this day, or this agreement’s share of it, is used up.';
  const stored = async () => {
    const { rows } = await fixture.pool.query(
      'select status, body, error from service.mails order by status, body',
    );
    return rows;
  };
  expect(await stored()).toEqual([
    { status: 'skipped', body: '', error },
    ...Array.from({ length: 3 }, () => ({
      status: 'waiting',
      body: expect.stringContaining('>'),
      error: null,
    })),
  ]);
});

test('beyond the quota of events of the day, transitions are announced, and rules cause mails only', async () => {
  const scene = await begin(
    ruleOf({ recipients: ['holder', '@observers'] }),
    ruleOf({ id: 'mail' }, 'email'),
  );
  const { principalId } = scene;
  const allow = (value: number) =>
    fixture.pool.query(
      `insert into service.principal_quotas (principal_id, quota, value) values ($1, 'eventsPerDay', $2)
      on conflict (principal_id, quota) do update set value = excluded.value`,
      [principalId, value],
    );
  const countByType = async () => {
    const { rows } = await fixture.pool.query<{ type: string; count: number }>(
      `select type, count(*)::int as count from service.events where record_id = $1 and state = 'released' group by type`,
      [scene.recordId],
    );
    return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
  };
  await allow(6);
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')), input(toggle('2')));
  for (let block = 0; block < 3; block++) await scene.mine();
  expect(await countByType()).toEqual({
    'agreement.transitioned': 3,
    'agreement.notification.triggered': 3,
  });
  // The record has used all that it may by now: as much as would be left to others.
  await scene.mine(input(toggle('3')));
  for (let block = 0; block < 3; block++) await scene.mine();
  expect(await countByType()).toMatchObject({ 'agreement.notification.triggered': 3 });
  expect(await scene.mails()).toHaveLength(3);
  await allow(100);
  await scene.mine(input(toggle('4')));
  for (let block = 0; block < 3; block++) await scene.mine();
  expect(await countByType()).toMatchObject({ 'agreement.notification.triggered': 5 });
});

test('what recipients share counts once as bytes of the day, and beyond the quota rules cause no events', async () => {
  const remark = 'x'.repeat(40_000);
  const recipients = Array.from({ length: 20 }, (_, at) => `at${at}@b.example`);
  const scene = await begin(ruleOf({ recipients }));
  const { principalId } = scene;
  const readBytes = async () =>
    (await readQuotas(fixture.database, principalId)).find(({ quota }) => quota === 'eventBytesPerDay')
      ?.used ?? 0;
  const confirm = async () => {
    for (let block = 0; block < 3; block++) await scene.mine();
  };
  await scene.mine(deployment());
  await scene.mine(input(annotate(remark)), input(toggle('1')));
  await confirm();
  const used = await readBytes();
  expect(used).toBeGreaterThan(remark.length);
  expect(used).toBeLessThan(2 * remark.length);
  expect(await scene.told()).toHaveLength(recipients.length);
  await fixture.pool.query(
    `insert into service.principal_quotas (principal_id, quota, value) values ($1, 'eventBytesPerDay', $2)`,
    [principalId, 2 * used + 1_000],
  );
  await scene.mine(input(toggle('2')), input(toggle('3')));
  await confirm();
  expect(await scene.told()).toHaveLength(recipients.length + 1);
  const { rows } = await fixture.pool.query(
    `select count(*)::int as count from service.events where record_id = $1 and type = 'agreement.transitioned' and state = 'released'`,
    [scene.recordId],
  );
  expect(rows).toEqual([{ count: 4 }]);
});

test('an event has the values of its input too, in fields that are no variables', async () => {
  const lamp = createLamp('with reasons', { why: { type: 'string' }, holder: { type: 'string' } });
  const scene = await createRuleScene(fixture, { rules: [ruleOf()], lamp });
  await scene.mine(deployment({ lamp }));
  const values = { brightness: '5', why: 'It was dark.', holder: 'no address' };
  await scene.mine(input({ name: 'toggle', values }));
  await scene.mine();
  const { holder } = lampVariables;
  expect((await scene.told()).map(({ data }) => data.variables)).toEqual([
    { brightness: '5', holder, remark: '', why: 'It was dark.' },
  ]);
});

test('a rule fires up to its limit for each recipient, not counting withdrawn firings', async () => {
  const scene = await begin(
    ruleOf({ recipients: ['holder', '@observers'], constraints: { maxOccurrences: 2 } }),
  );
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')), input(toggle('2')), input(toggle('3')));
  expect(await scene.firings()).toHaveLength(4);
  scene.drop(1);
  scene.add();
  const [fourth, fifth, sixth] = ['4', '5', '6'].map((brightness) => input(toggle(brightness)));
  await scene.mine(...[fourth, fifth, sixth].filter((event) => event !== undefined));
  await scene.mine();
  await scene.mine();
  expect((await scene.told()).map(({ data }) => [data.recipient, data.notification.body])).toEqual([
    ['alice@mail.example', 'dark>lit '],
    ['eve@mail.example', 'dark>lit '],
    ['alice@mail.example', 'lit>dark '],
    ['eve@mail.example', 'lit>dark '],
  ]);
});

test('a firing that a reorg withdrew counts again when it comes back', async () => {
  const scene = await begin(ruleOf({ constraints: { maxOccurrences: 1 } }));
  await scene.mine(deployment());
  const toggled = input(toggle('1'));
  await scene.mine(toggled);
  scene.drop(1);
  scene.add();
  await scene.mine(toggled);
  await scene.mine(input(toggle('2')));
  await scene.mine();
  await scene.mine();
  expect(await scene.firings()).toMatchObject([{ state: 'released' }]);
  expect((await scene.told()).map(({ data }) => data.notification.body)).toEqual(['dark>lit ']);
});

test('a firing that was released counts towards the limit even if its transition falls out', async () => {
  const scene = await begin(ruleOf({ constraints: { maxOccurrences: 1 } }));
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')));
  await scene.mine();
  await scene.mine();
  expect(await scene.told()).toHaveLength(1);
  scene.drop(3);
  scene.add();
  scene.add(input(toggle('2')));
  await scene.mine();
  await scene.mine();
  expect(await scene.firings()).toMatchObject([{ state: 'released' }]);
  expect(await scene.told()).toHaveLength(1);
});

test("a rule's large values for 250 recipients are stored once, and sent to each", async () => {
  const scene = await begin(ruleOf({ recipients: ['@observers'] }));
  const { pool } = fixture;
  await scene.query(sql`update service.records set observers = (
    select json_agg('o' || at || '@mail.example') from generate_series(1, 250) as at)`);
  await scene.query(sql`
    insert into service.webhook_subscriptions (id, principal_id, url, event_types, filters, secret)
    select 'wh_all', principal_id, 'https://x.example', '["agreement.notification.triggered"]',
      '{"ruleIds":["rule"],"toStates":["lit"]}', '' from service.records`);
  const remark = 'é'.repeat(25_000);
  await scene.mine(deployment());
  await scene.mine(input(annotate(remark)));
  await scene.mine(input(toggle('5')));
  await scene.mine();
  await scene.mine();

  const told = await scene.told();
  expect(told).toHaveLength(250);
  expect(new Set(told.map(({ data }) => data.recipient)).size).toBe(250);
  for (const { data } of told) {
    expect(data.variables).toMatchObject({ remark, brightness: '5' });
    expect(data.notification.subject).toBe('A lamp');
  }
  const [stored] = await scene.query<{ bytes: number }>(sql`
    select ((select sum(octet_length(body)) from service.events) +
      (select sum(octet_length(text)) from service.event_parts))::int as bytes`);
  expect(stored?.bytes).toBeGreaterThan(Buffer.byteLength(remark));
  expect(stored?.bytes).toBeLessThan(512 * 1024);

  const [{ principal_id: principalId } = { principal_id: '' }] = await scene.query<{ principal_id: string }>(
    sql`select principal_id from service.records`,
  );
  const { events } = await readFeed(pool, { principalId, limit: 100 });
  const bytes = events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  expect(bytes).toBeLessThan(4 * 1024 * 1024);
  expect(bytes).toBeGreaterThan(3.9 * 1024 * 1024);
  const wanted = [{ id: 'wh_all', free: 1, roundAfter: '', isRoundNext: false }];
  const due = { wanted, inFlight: [], now: new Date() };
  const [delivery] = await findDueDeliveries(pool, due);
  const eventId = delivery?.eventId ?? '';
  const sent = Buffer.from((await readBodies(pool, [eventId])).get(eventId) ?? '');
  expect(events.map(({ body }) => body)).toContain(sent.toString());
  expect(delivery?.bodyBytes).toBe(sent.length);
});

test('a rebuilt index fires nothing anew', async () => {
  const scene = await begin(ruleOf());
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')));
  await scene.mine();
  await scene.mine();
  const before = await scene.told();
  expect(before).toHaveLength(1);
  await fixture.index.deploy();
  await scene.mine();
  await scene.mine();
  expect(await scene.told()).toEqual(before);
  expect(await scene.firings()).toHaveLength(1);
});

test('a recipient without an e-mail address gets no mail, which is noted', async () => {
  const scene = await begin(ruleOf({ recipients: ['holder', '@observers'] }, 'email'));
  await fixture.pool.query(`update service.records set participants = '[]'`);
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')));
  await scene.mine();
  await scene.mine();
  expect((await scene.mails()).map(({ address, status }) => [address, status]).toSorted()).toEqual([
    [null, 'skipped'],
    ['eve@mail.example', 'due'],
  ]);
});

test('an invalid template, for whatever reason, stops nothing', async () => {
  const scene = await begin(ruleOf());
  await fixture.pool.query(`update service.records set notification_template = '{"rules": 7}'`);
  await scene.mine(deployment());
  await scene.mine(input(toggle('1')));
  expect((await scene.record(scene.recordId)).state).toBe('lit');
  expect(await scene.firings()).toEqual([]);
});

test('a value that cannot be stored as text stops nothing', async () => {
  const date = {
    type: 'elapsedSinceVariable' as const,
    variable: 'remark',
    threshold: { value: 1, unit: 'days' as const },
  };
  const scene = await begin(
    ruleOf(),
    ruleOf({ id: 'mail' }, 'email'),
    ruleOf({ id: 'dated', trigger: { type: 'temporal', states: ['dark', 'lit'], condition: date } }),
  );
  await scene.mine(deployment());
  await scene.mine(input(annotate('a\0b')));
  await scene.mine(input(toggle('5')));
  await scene.mine();
  await scene.mine();
  expect(await scene.told()).toMatchObject([
    { data: { notification: { body: 'dark>lit a\uFFFDb' }, variables: { remark: 'a\0b' } } },
  ]);
  expect(await scene.mails()).toMatchObject([{ status: 'due', body: 'dark>lit a\uFFFDb' }]);
});
