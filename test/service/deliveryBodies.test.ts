import type { ServerResponse } from 'node:http';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type CountedDatabase, createCountedDatabase } from './support/countedDatabase.ts';

const mebibyte = 1_024 ** 2;
const bodyBytes = mebibyte / 2;
const logger = pino({ level: 'silent' });

let world: DeliveryWorld;
let counted: CountedDatabase;
let handle: ReturnType<typeof createDatabase>;
let receiver: Receiver;
const held: ServerResponse[] = [];
beforeAll(async () => {
  world = await createDeliveryWorld();
  counted = await createCountedDatabase(world.databaseUrl);
  handle = createDatabase({ url: counted.url, applicationName: 'counted', maxConnections: 4, logger });
  receiver = await startReceiver((response) => held.push(response));
});
afterEach(async () => {
  for (const response of held.splice(0)) response.writeHead(500).end();
  await world.reset();
});
afterAll(async () => {
  await receiver.close();
  await handle.close();
  await counted.close();
  await world.close();
});

test('a pass reads the bodies of the deliveries that it begins, and no others', async () => {
  for (let at = 0; at < 6; at++) await world.subscribe(receiver.url);
  const records = await Promise.all(Array.from({ length: 10 }, () => world.createRecord()));
  await world.release(records, { note: 'x'.repeat(bodyBytes) });
  await world.startDeliverer({ pool: handle.pool, with: { perPrincipal: 3 } });
  await waitUntil('three attempts are under way', () => held.length === 3);
  expect(counted.takeLongest()).toBeLessThan(4 * bodyBytes);

  held.shift()?.writeHead(500).end();
  await waitUntil('another attempt is under way', () => held.length === 3);
  expect(counted.takeLongest()).toBeLessThan(2 * bodyBytes);
});

test('more bodies than one pass may hold are read by the passes after it', async () => {
  const subscription = await world.subscribe(receiver.url);
  const records = await Promise.all(Array.from({ length: 40 }, () => world.createRecord()));
  await world.release(records, { note: 'x'.repeat(bodyBytes) });
  const before = receiver.received.length;
  await world.pool.query(`update service.deliveries set status = 'failed' where subscription_id <> $1`, [
    subscription.id,
  ]);
  counted.takeLongest();
  await world.startDeliverer({
    pool: handle.pool,
    // Without an answer, nothing but the next pass can begin the others.
    with: { perSubscription: 40, perHost: 80, timeoutMs: 600_000 },
    pollMs: 600_000,
  });
  await waitUntil('all attempts are under way', () => receiver.received.length === before + 40);
  expect(counted.takeLongest()).toBeLessThan(17 * mebibyte);
});
