import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createRetention } from '../../src/worker/retention/retention.ts';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { accept, startReceiver } from '../support/receiver.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';

const logger = createLogger({ level: 'silent', name: 'test' });

describe('a database clock that was set back by an hour', () => {
  let world: RelayWorld;
  beforeAll(async () => {
    world = await createRelayWorld();
  });
  afterEach(() => world.reset());
  afterAll(() => world?.close());

  test('does not keep the wallets of a dead worker for an hour', async () => {
    const { key, address } = await world.createWallet();
    const first = await world.startRelay({ keys: [key] });
    world.startIndexing();
    const before = await world.acceptOne();
    await world.waitForState(before.id, 'mined');
    await first.close();
    await world.pool.query(
      `update service.relayer_wallets set lease_owner = 'wrk_dead', lease_until = now() + interval '1 hour' where address = $1`,
      [address],
    );
    await world.startRelay({ keys: [key] });
    const after = await world.acceptOne();
    await world.waitForState(after.id, 'mined');
    expect((await world.countMints()).get(after.recipient)).toBe(1);
  });
});

describe('with deliveries', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await createDeliveryWorld();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await world.reset();
  });
  afterAll(() => world?.close());

  test('a database clock that was set back does not keep the seats of a dead worker', async () => {
    const receiver = await startReceiver(accept);
    try {
      const { id } = await world.subscribe(receiver.url);
      await world.pool.query(
        `insert into service.worker_leases (id, lease_until) values ('wrk_dead', now() + interval '1 hour')`,
      );
      await world.pool.query(
        `insert into service.delivery_seats (subscription_id, worker_id) values ($1, 'wrk_dead')`,
        [id],
      );
      await world.release([await world.createRecord()]);
      await world.startDeliverer();
      await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
      expect(receiver.received).toHaveLength(1);
    } finally {
      await receiver.close();
    }
  });

  test('a worker whose clock is a hundred days ahead removes nothing new', async () => {
    const { id } = await world.subscribe('http://127.0.0.1:9/');
    await world.release([await world.createRecord()]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100 * 86_400_000 });
    const removed: unknown[] = [];
    const retention = createRetention({
      pool: world.pool,
      keptDays: 90,
      onRemoved: (rows) => removed.push(rows),
      logger,
    });
    await delay(500);
    await retention.close();
    const query = 'select count(*)::int as count from service.deliveries where subscription_id = $1';
    expect((await world.pool.query(query, [id])).rows).toEqual([{ count: 1 }]);
    expect(removed).toEqual([]);
  });
});
