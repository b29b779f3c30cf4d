import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { type Listener, listen } from '../../src/platform/database/listen.ts';
import { notifySoon } from '../../src/platform/database/notifySoon.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
let testDatabase: TestDatabase;
let handle: DatabaseHandle;
let listener: Listener;
let heard: string[] = [];

function connect(): DatabaseHandle {
  return createDatabase({
    url: `${testDatabase.url}?options=-c%20synchronous_commit%3Don`,
    applicationName: 'notifier',
    maxConnections: 1,
    logger,
  });
}

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  handle = connect();
  listener = listen({
    url: testDatabase.url,
    channels: ['one', 'other'],
    onNotification: (channel, payload) => heard.push(`${channel} ${payload}`),
    onConnected() {},
    logger,
  });
  await listener.ready;
});
afterAll(async () => {
  await listener.close();
  await handle.close();
  await testDatabase.drop();
});
beforeEach(() => {
  heard = [];
});

test('all notices arrive at their channels, equal ones that wait together once', async () => {
  notifySoon(handle.pool, 'one', ['first']);
  // The later notices wait until the first one is sent.
  notifySoon(handle.pool, 'one', ['same', 'same', 'last']);
  notifySoon(handle.pool, 'other', ['same']);
  notifySoon(handle.pool, 'one', ['same']);
  await waitUntil('all are there', () => heard.length >= 4);
  notifySoon(handle.pool, 'other', ['end']);
  await waitUntil('the end is there', () => heard.includes('other end'));
  expect(heard.toSorted()).toEqual(['one first', 'one last', 'one same', 'other end', 'other same']);
});

test('a notification that fails delays no later one', async () => {
  const longerThanAllowed = 'x'.repeat(8_000);
  const other = connect();
  try {
    notifySoon(other.pool, 'one', [longerThanAllowed]);
    notifySoon(other.pool, 'one', ['after it']);
    await waitUntil('the next one is there', () => heard.length > 0);
    expect(heard).toEqual(['one after it']);
  } finally {
    await other.close();
  }
});

test('a listener is woken once for what happens within a moment', async () => {
  const times = 20;
  for (let each = 0; each < times; each++) {
    notifySoon(handle.pool, 'one', ['again']);
    // The only connection: by then a notification that was sent at once has arrived.
    await handle.pool.query('select 1');
  }
  notifySoon(handle.pool, 'one', ['end']);
  await waitUntil('the end is there', () => heard.includes('one end'));
  expect(heard.length).toBeLessThan(times);
});

test('connections wait for the disk as before', async () => {
  notifySoon(handle.pool, 'one', ['quick']);
  await waitUntil('it is there', () => heard.includes('one quick'));
  const { rows } = await handle.pool.query(`select current_setting('synchronous_commit') as setting`);
  expect(rows).toEqual([{ setting: 'on' }]);
});
