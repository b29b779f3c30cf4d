import { type Hex, parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../support/random.ts';
import type { Disturbance, RpcCall } from '../support/relayNode.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(async () => {
  await world.reset();
  await world.client.setAutomine(true);
});
afterAll(() => world.close());

const lies = [
  'nonce too low',
  'replacement transaction underpriced',
  'insufficient funds for gas * price + value',
  'already known',
  'internal error',
];

/** Loses one call in ten, and answers one transaction in ten with a false error. */
function disturbAtRandom(random: () => number, { method }: RpcCall): Disturbance {
  const roll = random();
  if (roll < 0.05) return 'loseRequest';
  if (roll < 0.1) return 'loseAnswer';
  if (method !== 'eth_sendRawTransaction' || roll > 0.2) return undefined;
  const message = lies[Math.floor(random() * lies.length)] ?? '';
  return { error: { code: -32_000, message } };
}

/** Uses up one of the relay's nonces, as another user of the same key would. */
async function interfere(key: Hex): Promise<void> {
  const account = privateKeyToAccount(key);
  const { address } = account;
  const nonce = await world.client.getTransactionCount({ address });
  const fee = parseGwei('60');
  const fees = { gas: 21_000n, maxFeePerGas: fee, maxPriorityFeePerGas: fee };
  const call = { type: 'eip1559', chainId: world.chainId, nonce, to: address, ...fees } as const;
  const serializedTransaction = await account.signTransaction(call);
  // Another transaction may have used that nonce meanwhile.
  await world.client.sendRawTransaction({ serializedTransaction }).catch(() => undefined);
}

test.each([1, 2])(
  'whatever nodes, mempools and other users of the keys do, each call happens exactly once (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    let isCalm = false;
    const node = await world.disturb((call) => (isCalm ? undefined : disturbAtRandom(random, call)));
    const keys = await world.createWallets(2);
    const settings = { leaseMs: 600, replaceAfterMs: 1_500, resendAfterMs: 300, maxInFlight: 8 };
    const start = () => world.startRelay({ keys, settings, rpcUrls: [node.url] });
    await world.client.setAutomine(false);
    world.startIndexing();

    const rows: Awaited<ReturnType<typeof world.accept>> = [];
    for (let round = 0; round < 12; round++) {
      const relay = await start();
      rows.push(...(await world.accept(4)));
      const blocks = node.count('eth_getBlockByNumber');
      await waitUntil('the relay has looked around', () => node.count('eth_getBlockByNumber') > blocks + 1);
      const [pending] = Object.values((await world.client.getTxpoolContent()).pending).flatMap(Object.values);
      if (pending && random() < 0.4) await world.client.dropTransaction({ hash: pending.hash });
      const key = keys[Math.floor(random() * keys.length)];
      if (key && random() < 0.4) await interfere(key);
      await world.client.mine({ blocks: 1 });
      await relay.close();
    }

    isCalm = true;
    await start();
    await waitUntil('everything has happened', async () => {
      await world.client.mine({ blocks: 1 });
      const counts = await world.countMints();
      return rows.every(({ recipient }) => counts.has(recipient));
    });
    await world.waitForAll(
      rows.map(({ id }) => id),
      'mined',
    );
    const counts = await world.countMints();
    expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
  },
);
