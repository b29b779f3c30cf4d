import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(() => world.reset());
afterAll(() => world.close());

test('rows of others are prepared and signed while a node does not answer about many of one principal', async () => {
  const slow: Address = `0x${randomBytes(20).toString('hex')}`;
  const released = Promise.withResolvers<void>();
  const node = await world.disturb(async ({ method, params }) => {
    if (method === 'eth_estimateGas' && Object(params[0]).to?.toLowerCase() === slow) await released.promise;
    return undefined;
  });
  await world.accept(300, { principalId: 'slow', to: slow, gasEstimate: null });
  await world.startRelay({
    keys: await world.createWallets(2),
    rpcUrls: [node.url],
    rpcTimeoutMs: 120_000,
  });
  await waitUntil('the node is asked', () => node.count('eth_estimateGas') > 20);
  const known = await world.acceptOne({ principalId: 'known' });
  const unknown = await world.accept(20, { principalId: 'unknown', gasEstimate: null });
  for (const { id } of [known, ...unknown]) await world.waitForNode(id);
  expect(node.count('eth_estimateGas')).toBeLessThan(64 + unknown.length);
  released.resolve();
  await waitUntil('all are signed', async () => {
    const { rows } = await world.pool.query(
      `select 1 from service.transactions where state = 'accepted' limit 1`,
    );
    return rows.length === 0;
  });
});

test('wallets are looked after while a node does not answer about the gas of a mined row', async () => {
  const released = Promise.withResolvers<void>();
  const node = await world.disturb(async ({ method }) => {
    if (method === 'eth_getTransactionReceipt') await released.promise;
    return undefined;
  });
  world.startIndexing();
  await world.startRelay({
    keys: await world.createWallets(1),
    rpcUrls: [node.url],
    rpcTimeoutMs: 120_000,
  });
  const { id } = await world.acceptOne({ gasEstimate: null });
  await world.waitForState(id, 'mined');
  await waitUntil('the node is asked', () => node.count('eth_getTransactionReceipt') > 0);
  const looks = node.count('eth_getBalance');
  await waitUntil('the wallet is looked after', () => node.count('eth_getBalance') > looks + 3);
  released.resolve();
  await world.stopIndexing();
});
