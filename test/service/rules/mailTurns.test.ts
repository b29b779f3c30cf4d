import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { lockFeeds } from '../../../src/records/events/lockFeeds.ts';
import { type MailRelease, releaseMails } from '../../../src/worker/notifier/releaseMails.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { chainId, createFixture, type Fixture } from '../projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { insertRecords } from '../support/rows.ts';

/** Waiting mails of one principal. */
const flood = 5_000;
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

/** A principal with so many waiting mails, all in one block. */
async function insertWaiting(
  name: string,
  { count, block, owner = name }: { count: number; block: number; owner?: string | null },
): Promise<void> {
  const { pool } = fixture;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [name]);
  await insertRecords(pool, { id: name }, [{ id: `agr_${name}`, chain_id: chainId }]);
  await pool.query(
    `with stored as (
      insert into service.rule_firings (id, record_id, principal_id, rule_id, recipient, occasion, trigger_type, channel,
        state, chain_id, block_number)
      select $1 || '_' || at, 'agr_' || $1, $2, 'rule', at || '@mail.example', 'once', 'onTransition', 'email',
        'pending', $3, $4
      from generate_series(1, $5::int) as at
      returning id, recipient)
    insert into service.mails (firing_id, address, subject, body, status)
    select id, recipient, 'A subject', 'A body', 'waiting' from stored`,
    [name, owner, chainId, block, count],
  );
}

/** One batch, with the rows that it has read. */
async function release(after?: string): Promise<MailRelease & { rowsRead: number }> {
  explained.takeEfforts();
  const client = await explained.pool.connect();
  try {
    // As the projector does.
    await client.query('begin; set local enable_seqscan = off');
    const released = await releaseMails(drizzle(client, drizzleOptions), { chainId, through, after });
    await client.query('commit');
    const rowsRead = explained.takeEfforts().reduce((sum, effort) => sum + effort.rowsRead, 0);
    return { ...released, rowsRead };
  } finally {
    client.release();
  }
}

async function countDue(): Promise<Record<string, number>> {
  const { rows } = await fixture.pool.query<{ owner: string; count: number }>(
    `select record.principal_id as owner, count(*)::int
    from service.mails join service.rule_firings firing on firing.id = firing_id join service.records record on record.id = firing.record_id
    where mails.status in ('due', 'skipped') and firing.state = 'released' group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ owner, count }) => [owner, count]));
}

test('no mail waits behind those of another principal', async () => {
  await insertWaiting('prn_flood', { count: flood, block: 1 });
  await insertWaiting('prn_late', { count: 3, block: 400 });
  await insertWaiting('prn_unconfirmed', { count: 3, block: 501 });
  await insertWaiting('prn_unknown', { count: 2, block: 400, owner: null });
  await fixture.pool.query('analyze');
  const first = await release();
  expect(first).toMatchObject({ isMore: true, next: undefined });
  expect(await countDue()).toEqual({ prn_flood: 334, prn_late: 3, prn_unknown: 2 });
  expect(first.rowsRead).toBeLessThan(8_000);

  let left = 100;
  while ((await release()).isMore && left > 0) left--;
  expect(await countDue()).toEqual({ prn_flood: flood, prn_late: 3, prn_unknown: 2 });
});

test('a round goes over all principals, some hundred at a time', async () => {
  for (let at = 100; at < 350; at++) await insertWaiting(`prn_${at}`, { count: 1, block: 2 });
  const first = await release();
  expect(first).toMatchObject({ isMore: false, next: 'prn_299' });
  expect(await release(first.next)).toMatchObject({ isMore: false, next: undefined });
  expect(Object.values(await countDue())).toContain(1);
});

test('mails wait for nobody who releases to another principal', async () => {
  const lock = ['prn_busy'];
  await insertWaiting('prn_busy', { count: 3, block: 1 });
  await insertWaiting('prn_free', { count: 3, block: 1 });
  await inTransaction(fixture.database, (transaction) => lockFeeds(transaction, lock));
  await inTransaction(fixture.database, async (transaction) => {
    await lockFeeds(transaction, lock);
    expect(await release()).toMatchObject({ released: 3, isMore: true });
  });
  expect(await release()).toMatchObject({ released: 3, isMore: false });
});

test('a mail that a fold withdraws at the same time is not released', async () => {
  const { pool } = fixture;
  await insertWaiting('prn_fallen', { count: 1, block: 1 });
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `update service.rule_firings set state = 'withdrawn' where principal_id = 'prn_fallen'`,
    );
    const releasing = release();
    await waitUntil('the release waits for the mail', async () => (await readLockWaits(pool)).length > 0);
    await client.query('commit');
    expect(await releasing).toMatchObject({ released: 0 });
  } finally {
    client.release();
  }
  expect(await countDue()).not.toHaveProperty('prn_fallen');
});
