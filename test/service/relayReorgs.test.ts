import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterAll(() => world.close());

test.each([1, 2, 3, 4, 5])(
  'a reorganisation of depth %i under load loses and doubles nothing',
  async (depth) => {
    const keys = await world.createWallets(2);
    // A reorg in Anvil also undoes changes that the test made since the block before it.
    await world.client.mine({ blocks: depth + 1 });
    const first = await world.client.getBlockNumber();
    await world.takeOverMining();
    await world.startRelay({ keys });
    world.startIndexing();
    const rows: Awaited<ReturnType<typeof world.accept>> = [];
    for (let round = 0; round < 4; round++) {
      const more = await world.accept(15);
      rows.push(...more);
      // Some rows are in blocks that the reorg drops, others are under way.
      await waitUntil('some are mined', async () => {
        const counts = await world.countMints();
        return more.filter(({ recipient }) => counts.has(recipient)).length >= 5;
      });
      const missing = first + BigInt(depth) - (await world.client.getBlockNumber());
      if (missing > 0n) await world.client.mine({ blocks: Number(missing) });
      await world.dropBlocks(depth);
    }
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    await world.waitForAll(
      rows.map(({ id }) => id),
      'mined',
    );
    const counts = await world.countMints();
    expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
    const addresses = keys.map((key) => privateKeyToAddress(key));
    const sent = await Promise.all(addresses.map((address) => world.client.getTransactionCount({ address })));
    const fillers = await Promise.all(addresses.map((address) => world.readFillers(address)));
    expect(sent.reduce((sum, count) => sum + count)).toBe(rows.length + fillers.flat().length);
    await world.reset();
  },
);
