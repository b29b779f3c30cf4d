import type { Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { storeRecord } from './support/storeRecord.ts';

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

describe('a sent input that blocks leave out', () => {
  const dear = '60';
  const submit = async (address: Address | null) => {
    const wallet = await world.createWallet();
    await world.client.setAutomine(false);
    await world.startRelay({ keys: [wallet.key], settings: { replaceAfterMs: 300 } });
    world.startIndexing();
    const { id } = await world.acceptOne({ kind: 'input' });
    await world.waitForNode(id);
    await storeRecord(world, id, { address, agreement: world.token });
    return { id, wallet };
  };
  afterEach(async () => {
    await world.client.setAutomine(true);
    await world.mineAt('1');
    await world.reset();
  });

  test('is sent for a higher price while its agreement may be deployed at its address again', async () => {
    const { id } = await submit(null);
    await waitUntil('it is replaced', async () => {
      await world.mineAt(dear);
      return (await world.readRow(id)).attempts.length > 1;
    });
  });

  test('gives its nonce up if its agreement has moved to another address, and is not sent again', async () => {
    const { id, wallet } = await submit('0x00000000000000000000000000000000000000A1');
    await waitUntil('its nonce is freed', async () => {
      await world.mineAt(dear);
      return (await world.readFillers(wallet.address)).length > 0;
    });
    await world.client.setAutomine(true);
    await world.mineAt('1');
    await world.waitForState(id, 'accepted');
    expect((await world.readRow(id)).attempts).toHaveLength(1);
    expect((await world.countMints()).size).toBe(0);
  });
});
