import { setTimeout as delay } from 'node:timers/promises';
import { type Address, type Hex, parseGwei } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { createAnvilClient } from '../support/anvilClient.ts';
import { createRandom } from '../support/random.ts';
import type { RpcCall } from '../support/relayNode.ts';
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

const isSend = ({ method }: RpcCall) => method === 'eth_sendRawTransaction';

async function expectMintedOnce(rows: readonly { recipient: Address }[]): Promise<void> {
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  const counts = await world.countMints();
  expect(rows.map(({ recipient }) => counts.get(recipient))).toEqual(rows.map(() => 1));
}

describe('a node', () => {
  test('that knows no receipts while the index is behind has nothing sent a second time', async () => {
    const node = await world.disturb(({ method }) =>
      method === 'eth_getTransactionReceipt' ? { result: null } : undefined,
    );
    const [key = '0x'] = await world.createWallets(1);
    await world.indexOnce();
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    const rows = await world.accept(4);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('it was asked often', () => node.count('eth_getTransactionReceipt') > looks + 40);
    world.startIndexing();
    await world.waitForAll(
      rows.map(({ id }) => id),
      'mined',
    );
    await expectMintedOnce(rows);
    expect(await world.client.getTransactionCount({ address: privateKeyToAddress(key) })).toBe(rows.length);
  });

  test('that refuses or never answers every other request delays transactions and no more', async () => {
    const random = createRandom(7);
    const kinds: Record<string, number> = {};
    const node = await world.disturb(
      () => undefined,
      () => {
        const roll = random();
        const kind = roll < 0.25 ? 'refuse' : roll < 0.5 ? 'silence' : undefined;
        kinds[kind ?? 'good'] = (kinds[kind ?? 'good'] ?? 0) + 1;
        return kind;
      },
    );
    const keys = await world.createWallets(2);
    await world.startRelay({ keys, rpcUrls: [node.url], rpcTimeoutMs: 300 });
    world.startIndexing();
    const rows: Awaited<ReturnType<typeof world.accept>> = [];
    for (let round = 0; round < 5; round++) {
      rows.push(...(await world.accept(8)));
      await waitUntil(
        'half of them are mined',
        async () => (await world.countMints()).size * 2 > rows.length,
      );
    }
    await world.waitForAll(
      rows.map(({ id }) => id),
      'mined',
    );
    await expectMintedOnce(rows);
    const sent = await Promise.all(
      keys.map((key) => world.client.getTransactionCount({ address: privateKeyToAddress(key) })),
    );
    expect(sent.reduce((sum, count) => sum + count)).toBe(rows.length);
    expect(kinds.refuse).toBeGreaterThan(2);
    expect(kinds.silence).toBeGreaterThan(2);
    // On a busy machine good answers come too late as well.
  }, 300_000);

  test('that lags and answers "nonce too low" for an unknown transaction gets nothing signed twice', async () => {
    const { key, address } = await world.createWallet();
    let isBehind = true;
    const zero = { result: '0x0' };
    // This node neither shows nor accepts what another node behind the same address has mined.
    const lagging = await world.disturb((call) => {
      if (!isBehind) return undefined;
      if (isSend(call))
        return { error: { code: -32_000, message: 'nonce too low: next nonce 1, tx nonce 0' } };
      if (call.method === 'eth_getTransactionCount') return zero;
      return call.method === 'eth_getTransactionReceipt' ? { result: null } : undefined;
    });
    await world.startRelay({ keys: [key], rpcUrls: [lagging.url] });
    const rows = await world.accept(3);
    await Promise.all(rows.map(({ id }) => world.waitForState(id, 'signed')));
    const sends = lagging.count('eth_sendRawTransaction');
    await waitUntil('they were sent again', () => lagging.count('eth_sendRawTransaction') > sends + 3);
    const before = await Promise.all(rows.map(({ id }) => world.readRow(id)));
    expect(before.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
    isBehind = false;
    await expectMintedOnce(rows);
    expect(await world.client.getTransactionCount({ address })).toBe(3);
  });

  test('of another chain that stands in for one that is away moves no counter, and has nothing filled', async () => {
    const { key, address } = await world.createWallet();
    const other = await startAnvil({ chainId: world.chainId + 1 });
    let isAway = false;
    const own = await world.disturb(
      () => undefined,
      () => (isAway ? 'refuse' : undefined),
    );
    try {
      await createAnvilClient(other.rpcUrl).setNonce({ address, nonce: 40 });
      await world.startRelay({ keys: [key], rpcUrls: [own.url, other.rpcUrl] });
      const first = await world.acceptOne();
      await world.waitForMints([first.recipient]);
      isAway = true;
      const second = await world.acceptOne();
      // The relay looks at its counter several times a second.
      await delay(3_000);
      isAway = false;
      await expectMintedOnce([first, second]);
      expect(await world.client.getTransactionCount({ address })).toBe(2);
      const { rows } = await world.pool.query('select next_nonce::int as nonce from service.relayer_wallets');
      expect(rows).toEqual([{ nonce: 2 }]);
    } finally {
      await other.stop();
    }
  });

  test('that does not see a mined transaction yet is sent the same bytes again, and nothing else', async () => {
    const { key, address } = await world.createWallet();
    let isBlind = true;
    const blind = await world.disturb(({ method }) => {
      if (!isBlind) return undefined;
      if (method === 'eth_getTransactionCount') return { result: '0x0' };
      return method === 'eth_getTransactionReceipt' ? { result: null } : undefined;
    });
    await world.startRelay({ keys: [key], rpcUrls: [blind.url] });
    const row = await world.acceptOne();
    await world.waitForMints([row.recipient]);
    const sends = blind.count('eth_sendRawTransaction');
    await waitUntil('it was sent again', () => blind.count('eth_sendRawTransaction') > sends + 2);
    isBlind = false;
    world.startIndexing();
    await world.waitForState(row.id, 'mined');
    const later = await world.acceptOne();
    await expectMintedOnce([row, later]);
    expect((await world.readRow(row.id)).attempts).toHaveLength(1);
    expect((await world.readRow(later.id)).nonce).toBe(1);
    expect(await world.readFillers(address)).toEqual([]);
  });
});

test('two workers that prepare the same row at the same time send it once', async () => {
  const [one = '0x', other = '0x'] = await world.createWallets(2);
  let isHeldUp = true;
  const estimates = new Set<string>();
  const start = async (key: Hex) => {
    const node = await world.disturb(({ method }) => {
      if (method !== 'eth_estimateGas') return undefined;
      estimates.add(key);
      return isHeldUp ? 'loseRequest' : undefined;
    });
    return world.startRelay({ keys: [key], rpcUrls: [node.url] });
  };
  await start(one);
  await start(other);
  const rows = await world.accept(10, { gasEstimate: null });
  await waitUntil('both have begun', () => estimates.size === 2);
  isHeldUp = false;
  await expectMintedOnce(rows);
  const after = await Promise.all(rows.map(({ id }) => world.readRow(id)));
  expect(after.map(({ attempts }) => attempts.length)).toEqual(rows.map(() => 1));
});

test('nonces that were signed and never accepted by a node are a gap that closes by itself', async () => {
  const { key, address } = await world.createWallet();
  const silent = await world.disturb((call) => (isSend(call) ? 'loseRequest' : undefined));
  const first = await world.startRelay({ keys: [key], rpcUrls: [silent.url] });
  const deadline = (await world.client.getBlock()).timestamp + 60n;
  const late = await world.accept(3, { deadline });
  const rows = await world.accept(2);
  const ids = [...late, ...rows].map(({ id }) => id);
  await world.waitForAll(ids, 'signed');
  await first.close();
  // Three permits expire. They hold the nonces before those of the other two rows.
  await world.client.setNextBlockTimestamp({ timestamp: deadline + 1n });
  await world.client.mine({ blocks: 1 });
  await world.indexOnce();
  await world.waitForAll(
    late.map(({ id }) => id),
    'failed',
  );

  await world.startRelay({ keys: [key] });
  const later = await world.acceptOne();
  await expectMintedOnce([...rows, later]);
  const counts = await world.countMints();
  expect(late.some(({ recipient }) => counts.has(recipient))).toBe(false);
  const fillers = await world.readFillers(address);
  expect(await world.client.getTransactionCount({ address })).toBe(3 + fillers.length);
});

test('what waits while fees are twenty times as high drains by itself when they fall', async () => {
  const { key, address } = await world.createWallet();
  const node = await world.disturb(() => undefined);
  await world.client.setAutomine(false);
  const looked = async () => {
    const looks = node.count('eth_getBlockByNumber');
    await waitUntil('the relay has looked', () => node.count('eth_getBlockByNumber') > looks + 1);
  };
  const setBaseFee = async (gwei: string) => {
    await world.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
    await world.client.mine({ blocks: 1 });
    await looked();
  };
  const settings = { maxFeePerGas: parseGwei('6'), replaceAfterMs: 300 };
  await world.startRelay({ keys: [key], rpcUrls: [node.url], settings });
  await setBaseFee('1');
  const before = await world.accept(4);
  await world.waitForAll(
    before.map(({ id }) => id),
    'broadcast',
  );
  await setBaseFee('20');
  const during = await world.accept(4);
  await looked();
  const rows = [...before, ...during];
  const atPeak = await world.countMints();
  expect(rows.filter(({ recipient }) => atPeak.has(recipient))).toEqual([]);

  // From here on the test only mines a block every two seconds; the base fee falls by an eighth per block.
  const spike = await world.client.getBlock();
  await waitUntil(
    'everything is mined',
    async () => {
      const { timestamp } = await world.client.getBlock();
      await world.client.setNextBlockTimestamp({ timestamp: timestamp + 2n });
      await world.client.mine({ blocks: 1 });
      await looked();
      const counts = await world.countMints();
      return rows.every(({ recipient }) => counts.has(recipient));
    },
    300_000,
  );
  const { timestamp } = await world.client.getBlock();
  expect(Number(timestamp - spike.timestamp)).toBeLessThanOrEqual(120);
  await expectMintedOnce(rows);
  expect(await world.client.getTransactionCount({ address })).toBe(rows.length);
  // The base fee needs some forty blocks, each of which the relay looks at.
}, 300_000);
