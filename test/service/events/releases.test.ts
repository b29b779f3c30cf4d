import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { lockFeeds } from '../../../src/records/events/lockFeeds.ts';
import { withFoldTransaction } from '../../../src/worker/projector/withFoldTransaction.ts';
import { type Release, releaseEvents } from '../../../src/worker/publisher/releaseEvents.ts';
import { withdrawEvents } from '../../../src/worker/publisher/withdrawEvents.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { measureLongestTurn } from '../../support/longestTurn.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { chainId, createFixture, type Fixture } from '../projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { insertRecords } from '../support/rows.ts';

/** Waiting events of one principal. */
const flood = 20_000;
const perBlock = 100;
/** The most processor time that one turn of the event loop may take, in milliseconds. */
const mostTurnMs = 100;
/** The blocks with confirmations. */
const through = 500n;
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

/** A principal with so many waiting events, `perBlock` in each block. */
async function insertWaiting(name: string, { count, from }: { count: number; from: number }): Promise<void> {
  const { pool } = fixture;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [name]);
  await insertRecords(pool, { id: name }, [{ id: `agr_${name}`, chain_id: chainId }]);
  await pool.query(
    `insert into service.events (id, principal_id, record_id, type, body, state, chain_id, block_number, block_order)
    select $1 || at, $2, $3, 'agreement.transitioned', '{"data":{}}', 'pending', $4, $5::int + at / ${perBlock}, -at
    from generate_series(0, $6::int - 1) as at`,
    [randomBytes(8).toString('hex'), name, `agr_${name}`, chainId, from, count],
  );
}

/** One batch, with the rows that it has read. */
async function release(after?: string): Promise<Release & { rowsRead: number }> {
  explained.takeEfforts();
  const client = await explained.pool.connect();
  try {
    // As the projector does.
    await client.query('begin; set local enable_seqscan = off');
    const released = await releaseEvents(drizzle(client, drizzleOptions), { chainId, through, after });
    await client.query('commit');
    const rowsRead = explained.takeEfforts().reduce((sum, effort) => sum + effort.rowsRead, 0);
    return { ...released, rowsRead };
  } finally {
    client.release();
  }
}

async function countReleased(): Promise<Record<string, number>> {
  const { rows } = await fixture.pool.query<{ owner: string; count: number }>(
    `select principal_id as owner, count(*)::int from service.events where state = 'released' group by 1`,
  );
  return Object.fromEntries(rows.map(({ owner, count }) => [owner, count]));
}

test('no principal waits behind the events of another, and each gets its own in the order of the chain', async () => {
  await insertWaiting('prn_flood', { count: flood, from: 1 });
  await insertWaiting('prn_late', { count: 3, from: 400 });
  await insertWaiting('prn_unconfirmed', { count: 3, from: 501 });
  await fixture.pool.query('analyze');
  const first = await release();
  expect(first).toMatchObject({ released: 253, unfinished: ['prn_flood'], next: undefined });
  expect(first.rowsRead).toBeLessThan(5_000);
  expect(await countReleased()).toEqual({ prn_flood: 250, prn_late: 3 });

  let left = 100;
  while ((await release()).unfinished.length > 0 && left > 0) left--;
  expect(await countReleased()).toEqual({ prn_flood: flood, prn_late: 3 });
  const { rows } = await fixture.pool.query(
    `select position::int, lag(position) over ordered::int as before, row_number() over ordered::int as place
    from service.events where principal_id = 'prn_flood' window ordered as (order by block_number, block_order)`,
  );
  expect(rows.filter(({ position, place }) => position !== place)).toEqual([]);
});

test('a round goes over all principals, some hundred at a time', async () => {
  for (let at = 100; at < 350; at++) await insertWaiting(`prn_${at}`, { count: 1, from: 2 });
  const first = await release();
  expect(first).toMatchObject({ released: 200, next: 'prn_299' });
  expect(await release(first.next)).toMatchObject({ released: 50, next: undefined });
});

test('no principal waits for the feed of another, which comes later', async () => {
  await insertWaiting('prn_busy', { count: 3, from: 1 });
  await insertWaiting('prn_free', { count: 3, from: 1 });
  // From now on it has a feed.
  await inTransaction(fixture.database, (transaction) => lockFeeds(transaction, ['prn_busy']));
  await inTransaction(fixture.database, async (transaction) => {
    await lockFeeds(transaction, ['prn_busy']);
    expect(await release()).toMatchObject({ released: 3, unfinished: ['prn_busy'] });
    expect(await release()).toMatchObject({ released: 0, unfinished: ['prn_busy'] });
  });
  expect(await release()).toMatchObject({ released: 3, unfinished: [] });
  expect(await countReleased()).toMatchObject({ prn_busy: 3, prn_free: 3 });
});

test('events that are released together are delivered to their own principals’ subscriptions alone', async () => {
  const { pool } = fixture;
  for (const name of ['prn_one', 'prn_other']) {
    await insertWaiting(name, { count: 1, from: 1 });
    await pool.query(
      `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
      values ('wh_' || $1, $1, 'https://receiver.example', '["agreement.transitioned"]', '')`,
      [name],
    );
  }
  expect(await release()).toMatchObject({ released: 2 });
  const { rows } = await pool.query(
    `select subscription_id as to, event.principal_id as of
    from service.deliveries delivery join service.events event on event.id = delivery.event_id order by 1`,
  );
  expect(rows).toEqual([
    { to: 'wh_prn_one', of: 'prn_one' },
    { to: 'wh_prn_other', of: 'prn_other' },
  ]);
});

test('an event that a fold withdraws at the same time is not released', async () => {
  const { pool } = fixture;
  await insertWaiting('prn_fallen', { count: 1, from: 1 });
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`update service.events set state = 'withdrawn' where principal_id = 'prn_fallen'`);
    const releasing = release();
    await waitUntil('the release waits for the event', async () => (await readLockWaits(pool)).length > 0);
    await client.query('commit');
    await releasing;
  } finally {
    client.release();
  }
  expect(await countReleased()).not.toHaveProperty('prn_fallen');
});

test('a rule’s firing is released with its own event, and one that was withdrawn never', async () => {
  const { pool } = fixture;
  await insertWaiting('prn_fired', { count: 2, from: 1 });
  await pool.query(
    `update service.events set type = 'agreement.notification.triggered' where principal_id = 'prn_fired'`,
  );
  await pool.query(
    `insert into service.rule_firings (id, record_id, principal_id, rule_id, recipient, occasion, trigger_type, channel,
      state, chain_id, block_number)
    select id, record_id, principal_id, 'rule', 'somebody', id, 'onTransition', 'external_webhook',
      case block_order when 0 then 'pending' else 'withdrawn' end, chain_id, block_number
    from service.events where principal_id = 'prn_fired'`,
  );
  expect(await release()).toMatchObject({ released: 2 });
  const { rows } = await pool.query(
    `select firing.state from service.rule_firings firing join service.events event using (id) order by block_order desc`,
  );
  expect(rows.map(({ state }) => state)).toEqual(['released', 'withdrawn']);
});

test('no event of another chain or block is withdrawn, and none that is released', async () => {
  const { pool, database } = fixture;
  await insertWaiting('prn_partly', { count: 4, from: 1 });
  const change = (order: number, set: string) =>
    pool.query(`update service.events set ${set} where principal_id = 'prn_partly' and block_order = $1`, [
      order,
    ]);
  await change(0, `chain_id = ${chainId + 1}`);
  await change(-1, 'block_number = 2');
  await change(-2, `state = 'released', position = 9, released_at = now()`);
  await inTransaction(database, (transaction) => withdrawEvents(transaction, { chainId, numbers: [1n] }));
  const { rows } = await pool.query(
    `select state from service.events where principal_id = 'prn_partly' order by block_order desc`,
  );
  expect(rows.map(({ state }) => state)).toEqual(['pending', 'pending', 'released', 'withdrawn']);
});

test('a fold fails rather than withdraw an event that is released at the same time', async () => {
  await insertWaiting('prn_told', { count: 1, from: 1 });
  await fixture.index.deploy();
  const { pool } = fixture;
  const withdrawing = withFoldTransaction(
    { pool, chainId, isGated: false, isExclusive: false },
    {
      async fold(transaction) {
        // From now on the fold sees the event waiting.
        await transaction.execute(sql`select from service.events`);
        await release();
        return withdrawEvents(transaction, { chainId, numbers: [1n] });
      },
      follow: () => null,
    },
  );
  await expect(withdrawing).rejects.toMatchObject({ code: '40001' });
  expect(await countReleased()).toMatchObject({ prn_told: 1 });
});

test('many deliveries with the largest filters are planned without blocking the event loop', async () => {
  const { pool } = fixture;
  const name = 'prn_filters';
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [name]);
  await insertRecords(pool, { id: name }, [{ id: 'agr_filters', chain_id: chainId }]);
  const places = ['templateId', 'inputId', 'fromState', 'toState'] as const;
  const data = Object.fromEntries(places.map((place) => [place, 'x'.repeat(16)]));
  await pool.query(
    `insert into service.events (id, principal_id, record_id, type, body, state, chain_id, block_number, block_order)
    select 'evt_filters' || at, $1, 'agr_filters', 'agreement.transitioned', $2, 'pending', $3, 1, at
    from generate_series(1, 500) as at`,
    [name, JSON.stringify({ data }), chainId],
  );
  const others = Array.from({ length: 255 }, () => `${'x'.repeat(12)}${randomBytes(2).toString('hex')}`);
  const filters = Object.fromEntries(
    places.map((place) => [`${place}s`, [...others, 'x'.repeat(16)]] as const),
  );
  await pool.query(
    `insert into service.webhook_subscriptions (id, principal_id, url, event_types, filters, secret)
    select 'wh_filters' || at, $1, 'https://receiver.example', '["agreement.transitioned"]', $2, ''
    from generate_series(1, 50) as at`,
    [name, JSON.stringify(filters)],
  );
  const { result, longestMs } = await measureLongestTurn(release);
  expect(result).toMatchObject({ released: 500 });
  expect(longestMs).toBeLessThan(mostTurnMs);
  const { rows } = await pool.query(
    `select count(*)::int as count from service.deliveries where subscription_id like 'wh_filters%'`,
  );
  expect(rows).toEqual([{ count: 25_000 }]);
});
