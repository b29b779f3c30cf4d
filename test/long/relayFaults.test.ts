import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { faultPoints } from '../../src/platform/supervision/faultPoint.ts';
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
afterAll(() => world.close());

const leaseMs = 900;

async function planWith(walletCount: number) {
  const { databaseUrl, rpcUrl, chainId } = world;
  const keys = await world.createWallets(walletCount);
  return { databaseUrl, rpcUrl, chainId, keys, leaseMs };
}

describe('a relay that is killed', () => {
  test.each(faultPoints.relay)('at %s loses, doubles and jams nothing', async (faultPoint) => {
    const plan = await planWith(1);
    const rows = await world.accept(5);
    const killed = startRelayProcess(plan, faultPoint);
    expect(await killed.exited).toBe('SIGKILL');

    await world.startRelay({ keys: plan.keys, settings: { leaseMs } });
    const later = await world.accept(2);
    world.startIndexing();
    await world.waitForAll(
      [...rows, ...later].map(({ id }) => id),
      'mined',
    );
    const counts = await world.countMints();
    expect([...rows, ...later].map(({ recipient }) => counts.get(recipient))).toEqual([1, 1, 1, 1, 1, 1, 1]);
    // Exactly one transaction per row: none was wasted on a second form of the same call.
    const [address] = plan.keys.map((key) => privateKeyToAddress(key));
    expect(await world.client.getTransactionCount({ address: address ?? '0x' })).toBe(7);
  });

  test('again and again, at any moment, under load, sends each transaction exactly once', async () => {
    const plan = await planWith(2);
    world.startIndexing();
    const rows: Awaited<ReturnType<typeof world.accept>> = [];
    for (let round = 0; round < 3; round++) {
      const victim = startRelayProcess(plan);
      const more = await world.accept(60);
      rows.push(...more);
      // Each round kills the relay after a different number of mined rows.
      await waitUntil('some are mined', async () => {
        const counts = await world.countMints();
        return more.filter(({ recipient }) => counts.has(recipient)).length > round * 15;
      });
      await victim.kill();
    }
    await world.startRelay({ keys: plan.keys, settings: { leaseMs } });
    await world.waitForAll(
      rows.map(({ id }) => id),
      'mined',
    );
    const counts = await world.countMints();
    expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
    const sent = await Promise.all(
      plan.keys.map((key) => world.client.getTransactionCount({ address: privateKeyToAddress(key) })),
    );
    expect(sent.reduce((sum, count) => sum + count)).toBe(rows.length);
    // Three processes start, and send 180 transactions.
  }, 300_000);
});
