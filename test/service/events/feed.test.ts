import { randomBytes } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Queryable } from '../../../src/platform/database/database.ts';
import { writeEnvelope } from '../../../src/records/events/envelope.ts';
import { buildEventPart, type EventPart } from '../../../src/records/events/eventParts.ts';
import { listEvents } from '../../../src/records/events/listEvents.ts';
import type { NewEvent } from '../../../src/records/events/newEvent.ts';
import { readFeed } from '../../../src/records/events/readFeed.ts';
import { countOldRows, removeOldEvents } from '../../../src/records/retention/oldRows.ts';
import { releaseEvents, releaseNow } from '../../../src/worker/publisher/releaseEvents.ts';
import { storeEvents } from '../../../src/worker/publisher/storeEvents.ts';
import { createRetention } from '../../../src/worker/retention/retention.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { lamp } from '../projector/support/scene.ts';
import { insertRecord } from '../projector/support/serviceRows.ts';
import { startTestService, type TestPrincipal, type TestService } from '../support/testService.ts';
import { listenTo } from './support/listenTo.ts';

const chainIds = [59141, 11155111, 84532];
const feed = '/v0/events';

let service: TestService;
let pool: pg.Pool;
beforeAll(async () => {
  service = await startTestService();
  ({ pool } = service.handle);
});
afterAll(() => service.close());

/** A principal with a record on each chain. The tests invent the events. */
async function createTold() {
  const principal = await service.createPrincipal();
  const records = new Map<number, string>();
  for (const chainId of chainIds) {
    const record = { principalId: principal.id, chainId, lamp };
    records.set(chainId, await insertRecord(service.handle.database, record));
  }
  const eventOf = (chainId: number, sequence: number, blockNumber: bigint | null): NewEvent => {
    const id = `evt_${randomBytes(32).toString('hex')}`;
    const recordId = records.get(chainId) ?? '';
    const [type, createdAt] = ['agreement.transitioned', new Date()] as const;
    const states = { fromState: 'dark', toState: 'lit', inputId: 'toggle' };
    const facts = { agreementId: recordId, agreementName: 'A lamp', templateId: 'did:template:lamp' };
    return {
      id,
      principalId: principal.id,
      recordId,
      type,
      body: writeEnvelope({ id, type, createdAt, data: { ...facts, ...states, sequence } }),
      chainId,
      blockNumber,
      txHash: null,
      blockOrder: 0,
    };
  };
  return { principal, eventOf };
}

/** Begins a transaction, which `end` commits. */
async function begin(): Promise<{ transaction: Queryable; end(): Promise<void> }> {
  const client = await pool.connect();
  await client.query('begin');
  return {
    transaction: drizzle(client, { casing: 'snake_case' }),
    async end() {
      await client.query('commit');
      client.release();
    },
  };
}

async function tell(events: readonly NewEvent[]): Promise<void> {
  const { transaction, end } = await begin();
  await releaseNow(transaction, events);
  await end();
}

const ids = (answer: { body: { data?: unknown } }) =>
  Array.isArray(answer.body.data) ? answer.body.data.map((event) => Reflect.get(event, 'id')) : [];

test('a feed without events is empty, and its cursor works for later events', async () => {
  const { principal, eventOf } = await createTold();
  const empty = await principal.call('GET', feed);
  expect(empty.status).toBe(200);
  expect(empty.body.data).toEqual([]);
  const cursor = String(empty.body.pageInfo?.nextCursor);
  const event = eventOf(59141, 1, null);
  await tell([event]);
  const later = await principal.call('GET', `${feed}?after=${cursor}`);
  expect(later.body.data).toEqual([JSON.parse(event.body)]);
});

test('pages follow each other to the end, and the last cursor shows only new events', async () => {
  const { principal, eventOf } = await createTold();
  const events = [1, 2, 3, 4, 5].map((sequence) => eventOf(59141, sequence, BigInt(sequence)));
  await storeEvents(service.handle.database, events);
  const { transaction, end } = await begin();
  expect(await releaseEvents(transaction, { chainId: 59141, through: 5n })).toMatchObject({ released: 5 });
  await end();
  const seen: unknown[] = [];
  let after = '';
  for (const size of [2, 2, 1, 0]) {
    const page = await principal.call('GET', `${feed}?limit=2${after}`);
    expect(ids(page)).toHaveLength(size);
    expect(page.body.pageInfo?.limit).toBe(2);
    seen.push(...ids(page));
    after = `&after=${page.body.pageInfo?.nextCursor}`;
  }
  expect(seen).toEqual(events.map(({ id }) => id));
});

test('nobody sees the events of others, and cursors of others are refused', async () => {
  const [one, other] = [await createTold(), await createTold()];
  await tell([one.eventOf(59141, 1, null)]);
  const page = await one.principal.call('GET', feed);
  expect(ids(page)).toHaveLength(1);
  const empty = await other.principal.call('GET', feed);
  expect(ids(empty)).toEqual([]);
  const refused = { status: 400, body: { error: { details: { field: 'after' } } } };
  const ahead = await other.principal.call('GET', `${feed}?after=${page.body.pageInfo?.nextCursor}`);
  expect(ahead).toMatchObject(refused);
  const behind = await one.principal.call('GET', `${feed}?after=${empty.body.pageInfo?.nextCursor}`);
  expect(behind).toMatchObject(refused);
});

test('a cursor newer than the restored backup is refused, however many events came since', async () => {
  const { principal, eventOf } = await createTold();
  const [kept, lost, ...later] = [1, 2, 3, 4].map((sequence) => eventOf(59141, sequence, null));
  if (!kept || !lost) throw new Error('there are four events');
  const ask = (page: Awaited<ReturnType<TestPrincipal['call']>>) =>
    principal.call('GET', `${feed}?after=${page.body.pageInfo?.nextCursor}`);
  await tell([kept]);
  const older = await principal.call('GET', feed);
  await tell([lost]);
  const newer = await ask(older);
  expect(ids(newer)).toEqual([lost.id]);
  const atEnd = await ask(newer);
  expect(ids(await ask(atEnd))).toEqual([]);
  // Restore the database to its state before the second event.
  await pool.query('delete from service.events where id = $1', [lost.id]);
  await pool.query('update service.event_feeds set last_position = 1 where principal_id = $1', [
    principal.id,
  ]);
  expect((await ask(newer)).status).toBe(400);
  for (const event of later) await tell([event]);
  for (const page of [newer, atEnd]) {
    const refused = await ask(page);
    expect(refused.status).toBe(400);
    expect(refused.body.error?.details).toMatchObject({
      field: 'after',
      issues: [{ path: 'after', message: 'no longer matches the feed; start again without it' }],
    });
  }
  expect(ids(await ask(older))).toEqual(later.map(({ id }) => id));
});

test('a cursor of an earlier version, which says nothing of its event, is as good as it was', async () => {
  const { principal, eventOf } = await createTold();
  const events = [1, 2].map((sequence) => eventOf(59141, sequence, null));
  for (const event of events) await tell([event]);
  const answer = await principal.call('GET', `${feed}?after=${encode(['events', principal.id, 1])}`);
  expect(ids(answer)).toEqual([events[1]?.id]);
});

test.each([
  ['is none', () => 'after=x'],
  ['is empty', () => 'after='],
  ['is one of a list', () => `after=${encode(['createdAt', 'desc', 0, 'agr_0'])}`],
  ['has a negative position', (id: string) => `after=${encode(['events', id, -1])}`],
  ['has no whole position', (id: string) => `after=${encode(['events', id, 0.5])}`],
  ['is ahead of the feed', (id: string) => `after=${encode(['events', id, 1])}`],
  ['says of its event what none does', (id: string) => `after=${encode(['events', id, 0, 'x'])}`],
  ['is larger than any number', (id: string) => `after=${encode(['events', id, 1e300])}`],
])('a cursor that %s is refused', async (_, query) => {
  const { principal } = await createTold();
  const answer = await principal.call('GET', `${feed}?${query(principal.id)}`);
  expect(answer.status).toBe(400);
  expect(answer.body.error?.details?.issues?.map(({ path }) => path)).toEqual(['after']);
});

function encode(cursor: unknown): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

test.each([['limit=0'], ['limit=101'], ['limit=x'], ['cursor=x'], ['sort=asc']])(
  'a query of %s is refused',
  async (query) => {
    const principal = await service.createPrincipal();
    expect((await principal.call('GET', `${feed}?${query}`)).status).toBe(400);
  },
);

test('the feed is for principals that may read webhooks', async () => {
  const may: TestPrincipal = await service.createPrincipal(['webhooks.read']);
  const mayNot = await service.createPrincipal(['agreements.*', 'webhooks.write']);
  expect((await may.call('GET', feed)).status).toBe(200);
  expect((await mayNot.call('GET', feed)).status).toBe(403);
});

test('a release during an uncommitted release comes after it, and is not visible before it', async () => {
  const { principal, eventOf } = await createTold();
  const [first, second] = [eventOf(59141, 1, 1n), eventOf(84532, 1, 1n)];
  await storeEvents(service.handle.database, [first, second]);
  const [one, other] = [await begin(), await begin()];
  await releaseEvents(one.transaction, { chainId: 59141, through: 1n });
  const released = releaseEvents(other.transaction, { chainId: 84532, through: 1n }).then(other.end);
  await waitUntil('the other release waits', async () => (await readLockWaits(pool)).length > 0);
  expect(ids(await principal.call('GET', feed))).toEqual([]);
  await one.end();
  await released;
  expect(ids(await principal.call('GET', feed))).toEqual([first.id, second.id]);
});

test('a reader that polls while all chains release at once gets every event once, those of one chain in order', async () => {
  const { principal, eventOf } = await createTold();
  const rounds = 25;
  const perRound = 3;
  const sent = new Map(chainIds.map((chainId) => [chainId, [] as string[]]));
  const produce = async (chainId: number) => {
    for (let round = 1; round <= rounds; round++) {
      const events = Array.from({ length: perRound }, (_, at) => ({
        ...eventOf(chainId, round, BigInt(round)),
        blockOrder: at,
      }));
      await storeEvents(service.handle.database, events);
      sent.get(chainId)?.push(...events.map(({ id }) => id));
      // While another chain releases, this one has to come back.
      for (let isBusy = true; isBusy; ) {
        const { transaction, end } = await begin();
        const { unfinished } = await releaseEvents(transaction, { chainId, through: BigInt(round) });
        await end();
        isBusy = unfinished.length > 0;
      }
    }
  };
  const total = chainIds.length * rounds * perRound;
  const seen: string[] = [];
  const poll = async () => {
    let after: string | undefined;
    while (seen.length < total) {
      const page = await listEvents(pool, { principalId: principal.id, after, limit: 7 });
      const found: { id: string }[] = JSON.parse(page.dataText);
      seen.push(...found.map(({ id }) => id));
      after = page.nextCursor;
    }
  };
  await Promise.all([poll(), ...chainIds.map(produce)]);
  expect(new Set(seen).size).toBe(total);
  for (const ofChain of sent.values()) {
    const own = new Set(ofChain);
    expect(seen.filter((id) => own.has(id))).toEqual(ofChain);
  }
  const { rows } = await pool.query<{ positions: string; last: string }>(
    `select string_agg(position::text, ' ' order by position) as positions, max(last_position) as last
    from service.events join service.event_feeds using (principal_id) where principal_id = $1`,
    [principal.id],
  );
  expect(rows[0]).toEqual({
    positions: Array.from({ length: total }, (_, at) => at + 1).join(' '),
    last: String(total),
  });
});

test('an event that is stored and released again stays unchanged', async () => {
  const { principal, eventOf } = await createTold();
  const event = eventOf(59141, 1, null);
  await tell([event]);
  const before = await principal.call('GET', feed);
  await tell([{ ...event, body: event.body.replace('lit', 'dark') }]);
  expect((await principal.call('GET', feed)).body.data).toEqual(before.body.data);
});

test('a page holds no more than four megabytes, but always goes on', async () => {
  const { principal, eventOf } = await createTold();
  const events = [1, 2, 3].map((sequence) => {
    const event = eventOf(59141, sequence, null);
    return { ...event, body: event.body.replace('"A lamp"', `"${'x'.repeat(3 * 1024 * 1024)}"`) };
  });
  await tell(events);
  const seen: unknown[] = [];
  let after = '';
  for (const size of [1, 1, 1, 0]) {
    const page = await principal.call('GET', `${feed}?limit=100${after}`);
    expect(ids(page)).toHaveLength(size);
    seen.push(...ids(page));
    after = `&after=${page.body.pageInfo?.nextCursor}`;
  }
  expect(new Set(seen)).toEqual(new Set(events.map(({ id }) => id)));
});

test('old events are removed in steps, with their deliveries, and earlier cursors are refused', async () => {
  const { principal, eventOf } = await createTold();
  await tell([1, 2, 3].map((sequence) => eventOf(59141, sequence, null)));
  const first = await principal.call('GET', `${feed}?limit=1`);
  const second = await principal.call('GET', `${feed}?limit=2`);
  await pool.query(
    `update service.events set created_at = now() - interval '91 days', released_at = now() - interval '91 days'
      where principal_id = $1 and position <= 2`,
    [principal.id],
  );
  const [subscriptionId] = ['wh_old'];
  await pool.query(
    `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
      values ($1, $2, 'https://x.example', '[]', '')`,
    [subscriptionId, principal.id],
  );
  await pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, status)
      select 'dlv_' || position, $1, id, case position when 1 then 'succeeded' else 'pending' end
      from service.events where principal_id = $2 and position <= 2`,
    [subscriptionId, principal.id],
  );
  const before = new Date(Date.now() - 90 * 86_400_000);
  // One delivery still waits for its receiver.
  expect(await countOldRows(pool, before)).toMatchObject({ events: 2, deliveries: 2 });
  const removed: unknown[] = [];
  const onRemoved = (rows: unknown) => removed.push(rows);
  const retention = createRetention({ pool, keptDays: 90, onRemoved, logger: pino({ level: 'silent' }) });
  await waitUntil('the removal', () => removed.length > 0);
  await retention.close();
  expect(removed).toMatchObject([{ events: 2, deliveries: 2 }]);

  const expired = await principal.call('GET', `${feed}?after=${first.body.pageInfo?.nextCursor}`);
  expect(expired).toMatchObject({
    status: 400,
    body: { error: { details: { reason: 'cursor_expired', field: 'after' } } },
  });
  for (const after of ['', `?after=${second.body.pageInfo?.nextCursor}`])
    expect(ids(await principal.call('GET', `${feed}${after}`))).toHaveLength(1);
  const listener = await listenTo(service.baseUrl, { key: principal.key });
  expect(await listener.take(1)).toHaveLength(1);
  await listener.close();

  await pool.query(
    `update service.events set created_at = now() - interval '91 days', released_at = now() - interval '91 days'
      where principal_id = $1`,
    [principal.id],
  );
  const secondPass = createRetention({ pool, keptDays: 90, onRemoved, logger: pino({ level: 'silent' }) });
  await waitUntil('the removal of the last', () => removed.length > 1);
  await secondPass.close();
  const empty = await principal.call('GET', feed);
  expect(empty.body).toMatchObject({ data: [], pageInfo: { totalCount: 0 } });
  const follower = await listenTo(service.baseUrl, { key: principal.key });
  await tell([eventOf(59141, 4, null)]);
  expect(await follower.take(1)).toHaveLength(1);
  await follower.close();
  expect(ids(await principal.call('GET', `${feed}?after=${empty.body.pageInfo?.nextCursor}`))).toHaveLength(
    1,
  );
});

test('an event that waited for its confirmations for longer than events are kept stays after its release', async () => {
  const { principal, eventOf } = await createTold();
  const { transaction, end } = await begin();
  await storeEvents(transaction, [eventOf(59141, 1, 1n)]);
  await end();
  await pool.query(
    `update service.events set created_at = now() - interval '91 days' where principal_id = $1`,
    [principal.id],
  );
  const step = async () => {
    const client = await pool.connect();
    await removeOldEvents(client, { before: new Date(Date.now() - 90 * 86_400_000), limit: 500 });
    client.release();
  };
  // While it waits, it stays too.
  await step();
  await tell([eventOf(59141, 2, null)]);
  const releasing = await begin();
  await releaseEvents(releasing.transaction, { chainId: 59141, through: 1n });
  await releasing.end();
  await step();
  expect(ids(await principal.call('GET', feed))).toHaveLength(2);
  await pool.query(
    `update service.events set released_at = now() - interval '91 days' where principal_id = $1`,
    [principal.id],
  );
  await step();
  // The other one is newer.
  expect(ids(await principal.call('GET', feed))).toHaveLength(1);
});

test('what events had in common goes with the last of them', async () => {
  const { principal, eventOf } = await createTold();
  const partOf = (note: string) => buildEventPart(principal.id, { note });
  const shared = partOf('of two events');
  const withParts = (sequence: number, notification: EventPart) => {
    const { body, ...event } = eventOf(59141, sequence, null);
    return { ...event, body: body.slice(0, -2), parts: { notification, variables: shared } };
  };
  await tell([withParts(1, partOf('of the first')), withParts(2, partOf('of the second'))]);
  const told = await readFeed(pool, { principalId: principal.id, limit: 2 });
  const notes = told.events.map(({ body }) => {
    const { data } = JSON.parse(body);
    return [data.notification.note, data.variables.note];
  });
  expect(notes.toSorted()).toEqual([
    ['of the first', 'of two events'],
    ['of the second', 'of two events'],
  ]);
  const left = async () =>
    (
      await pool.query<{ text: string }>(
        'select text from service.event_parts where id = any($1) order by text',
        [['of the first', 'of the second', 'of two events'].map((note) => partOf(note).id)],
      )
    ).rows;
  await pool.query(`update service.event_parts set used_at = now() - interval '91 days'`);
  for (const { count, removed: expected, rest } of [
    { count: 1, removed: { events: 1, eventParts: 1 }, rest: 2 },
    { count: 2, removed: { events: 1, eventParts: 2 }, rest: 0 },
  ]) {
    await pool.query(
      `update service.events set created_at = now() - interval '91 days', released_at = now() - interval '91 days'
        where principal_id = $1 and position <= $2`,
      [principal.id, count],
    );
    const before = new Date(Date.now() - 90 * 86_400_000);
    expect(await countOldRows(pool, before)).toMatchObject(expected);
    const removed: unknown[] = [];
    const onRemoved = (rows: unknown) => removed.push(rows);
    const retention = createRetention({ pool, keptDays: 90, onRemoved, logger: pino({ level: 'silent' }) });
    await waitUntil('the removal', () => removed.length > 0);
    await retention.close();
    expect(removed).toMatchObject([expected]);
    expect(await left()).toHaveLength(rest);
  }
});
