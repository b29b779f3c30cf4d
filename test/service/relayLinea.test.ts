import { parseGwei, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld({ chainId: 59_141 });
});
afterEach(() => world.reset());
afterAll(() => world.close());

test("on Linea a transaction pays the chain's own estimate for it", async () => {
  const tip = parseGwei('3');
  const node = await world.disturb(({ method }) =>
    method === 'linea_estimateGas'
      ? { result: { gasLimit: toHex(100_000), baseFeePerGas: toHex(7), priorityFeePerGas: toHex(tip) } }
      : undefined,
  );
  await world.startRelay({ keys: await world.createWallets(1), rpcUrls: [node.url] });
  const rows = await world.accept(3);
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  const { hash } = await world.readRow(rows[0]?.id ?? '');
  const { maxPriorityFeePerGas, gas } = await world.client.getTransaction({ hash: hash ?? '0x' });
  expect({ maxPriorityFeePerGas, gas }).toEqual({ maxPriorityFeePerGas: tip, gas: 125_000n });
  expect(node.count('linea_estimateGas')).toBe(3);
});

test('on Linea an endpoint that does not know that estimate is asked once, and the common fees do', async () => {
  const node = await world.disturb(() => undefined);
  await world.startRelay({ keys: await world.createWallets(1), rpcUrls: [node.url] });
  for (let round = 0; round < 3; round++) {
    const row = await world.acceptOne();
    await world.waitForMints([row.recipient]);
  }
  // One call, and the usual single retry after a failure.
  expect(node.count('linea_estimateGas')).toBeLessThanOrEqual(2);
});
