import pg from 'pg';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createCutProxy } from '../support/cutProxy.ts';
import { createFullDisk, type FullDisk } from '../support/fullDisk.ts';
import { killRelayProcesses, startRelayProcess } from '../support/relayProcess.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(async () => {
  killRelayProcesses();
  await world.reset();
});
const disks: FullDisk[] = [];
afterAll(async () => {
  await world.close();
  // Remove the disks only after all databases that use them are gone.
  const server = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 });
  for (const disk of disks) await disk.remove(server);
  await server.end();
});

async function planWith(databaseUrl: string) {
  const { rpcUrl, chainId } = world;
  const keys = await world.createWallets(1);
  const addresses = keys.map((key) => privateKeyToAddress(key));
  return { plan: { databaseUrl, rpcUrl, chainId, keys, leaseMs: 900 }, address: addresses[0] ?? '0x' };
}

async function expectOnce(rows: Awaited<ReturnType<RelayWorld['accept']>>, address: `0x${string}`) {
  world.startIndexing();
  await world.waitForAll(
    rows.map(({ id }) => id),
    'mined',
  );
  const counts = await world.countMints();
  expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
  expect(await world.client.getTransactionCount({ address })).toBe(rows.length);
}

describe('a relay whose database connection breaks', () => {
  test.each(['beforeCommit', 'afterCommit'] as const)(
    '%s of its signed rows loses and doubles nothing',
    async (cut) => {
      const proxy = await createCutProxy(world.databaseUrl);
      const { plan, address } = await planWith(proxy.url);
      const relay = startRelayProcess(plan);
      const rows = await world.accept(3);
      await world.waitForMints(rows.map(({ recipient }) => recipient));
      for (let round = 1; round <= 2; round++) {
        proxy.cutNext(cut, { count: 2 });
        rows.push(...(await world.accept(10)));
        await waitUntil('connections were cut', () => proxy.count() >= 2 * round - 1);
      }
      await expectOnce(rows, address);
      await relay.kill();
      await proxy.close();
    },
  );

  test('at any moment, again and again, loses and doubles nothing', async () => {
    const { plan, address } = await planWith(world.databaseUrl);
    const relay = startRelayProcess(plan);
    const rows: Awaited<ReturnType<typeof world.accept>> = [];
    let ended = 0;
    const query = `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
      where datname = current_database() and application_name = 'relay process'`;
    for (let round = 0; round < 8; round++) {
      const more = await world.accept(8);
      rows.push(...more);
      await waitUntil('one is signed', async () => {
        const { rows: signed } = await world.pool.query(
          `select 1 from service.transactions where id = any($1) and state <> 'accepted'`,
          [more.map(({ id }) => id)],
        );
        return signed.length > 0;
      });
      ended += (await world.pool.query<{ ended: number }>(query)).rows[0]?.ended ?? 0;
    }
    expect(ended).toBeGreaterThanOrEqual(8);
    await expectOnce(rows, address);
    await relay.kill();
  });
});

/**
 * PostgreSQL reports the full disk itself if the machine can mount a file system; otherwise a trigger raises
 * the error.
 */
test.each(['mounted', 'raised'] as const)(
  'a relay whose database has no room left (%s) sends stored rows, and the rest once there is room',
  async (wanted) => {
    const own = await createRelayWorld();
    onTestFinished(() => own.close());
    const disk = await createFullDisk(own.pool, { table: 'service.transaction_attempts', wanted });
    disks.push(disk);
    const keys = await own.createWallets(1);
    const [address = '0x'] = keys.map((key) => privateKeyToAddress(key));
    await own.startRelay({ keys, settings: { maxInFlight: 200 } });
    const before = await own.accept(5);
    await own.waitForMints(before.map(({ recipient }) => recipient));

    await disk.fill();
    const during = await own.accept(100);
    const insert = `insert into service.transaction_attempts (chain_id, wallet, wallet_nonce, tx_hash, raw_transaction,
        gas, max_fee_per_gas, max_priority_fee_per_gas)
      select 1, 'nobody', n, n::text, repeat('x', 2000), 0, 0, 0 from generate_series(1, 2000) n`;
    await expect(own.pool.query(insert)).rejects.toMatchObject({ code: '53100' });
    const { rowCount } = await own.pool.query(`select 1 from service.transactions where state = 'accepted'`);
    expect(rowCount).toBeGreaterThan(0);

    await disk.free();
    const rows = [...before, ...during, ...(await own.accept(5))];
    own.startIndexing();
    await own.waitForAll(
      rows.map(({ id }) => id),
      'mined',
    );
    const counts = await own.countMints();
    expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
    expect(await own.client.getTransactionCount({ address })).toBe(rows.length);
  },
);
