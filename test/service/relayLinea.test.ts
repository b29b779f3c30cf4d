import { randomBytes } from 'node:crypto';
import { type Address, type Hex, parseGwei, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

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

test('on Linea gas beyond the estimate at acceptance counts for the principal, once', async () => {
  const node = await world.disturb(({ method }) =>
    method === 'linea_estimateGas'
      ? { result: { gasLimit: toHex(1_000_000), baseFeePerGas: toHex(7), priorityFeePerGas: toHex(7) } }
      : undefined,
  );
  await world.startRelay({ keys: await world.createWallets(1), rpcUrls: [node.url] });
  const principalId = `prn_${randomBytes(8).toString('hex')}`;
  await world.pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  const gasEstimate = 60_000n;
  const rows = [await world.acceptOne({ principalId, gasEstimate })];
  rows.push(await world.acceptOne({ principalId, gasEstimate: null }));
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  const readCounted = async () => {
    const { rows: days } = await world.pool.query<{ gas: string }>(
      'select sum(gas) as gas from service.usage_days where principal_id = $1',
      [principalId],
    );
    return BigInt(days[0]?.gas ?? 0);
  };
  const counted = 1_000_000n - gasEstimate + 1_250_000n;
  await waitUntil('both count', async () => (await readCounted()) >= counted);
  expect(await readCounted()).toBe(counted);
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

test.each<[string, { code: number; message: string; data?: Hex }]>([
  [
    'a call over a limit of lines',
    { code: -32_000, message: 'Transaction line count for module HUB=3000000 is above the limit 2097152' },
  ],
  [
    'call data over their limit',
    { code: -32_000, message: 'Calldata of transaction is greater than the allowed max of 30000' },
  ],
  ['an internal error', { code: -32_603, message: 'Internal error' }],
  ['a revert that speaks of methods', { code: -32_000, message: 'Execution reverted: method not found' }],
  [
    'a revert with too much data',
    { code: 3, message: 'execution reverted', data: `0x${'ab'.repeat(6_000_000)}` },
  ],
])('on Linea %s changes no fee of other transactions', async (_, error) => {
  const tip = parseGwei('3');
  const hostile: Address = `0x${randomBytes(20).toString('hex')}`;
  await world.client.setCode({ address: hostile, bytecode: '0x00' });
  let refused = 0;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'linea_estimateGas') return undefined;
    if (Object(params[0]).to?.toLowerCase() !== hostile)
      return { result: { gasLimit: toHex(100_000), baseFeePerGas: toHex(7), priorityFeePerGas: toHex(tip) } };
    refused++;
    return { error };
  });
  await world.startRelay({ keys: await world.createWallets(1), rpcUrls: [node.url] });
  const odd = await world.acceptOne({ to: hostile, data: '0x12' });
  // Without an estimate of its own it pays the general fees.
  await world.waitForNode(odd.id);
  expect(refused).toBeGreaterThan(0);
  const row = await world.acceptOne();
  await world.waitForMints([row.recipient]);
  const { hash } = await world.readRow(row.id);
  const { maxPriorityFeePerGas } = await world.client.getTransaction({ hash: hash ?? '0x' });
  expect(maxPriorityFeePerGas).toBe(tip);
});

test('on Linea an estimate that no block could hold fails no transaction signed beside it', async () => {
  const odd: Address = `0x${randomBytes(20).toString('hex')}`;
  let quoted = 0;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'linea_estimateGas') return undefined;
    const isOdd = Object(params[0]).to?.toLowerCase() === odd;
    if (isOdd) quoted++;
    const gasLimit = toHex(isOdd ? 2n ** 63n : 100_000n);
    return {
      result: { gasLimit, baseFeePerGas: toHex(1), priorityFeePerGas: toHex(isOdd ? 0 : parseGwei('3')) },
    };
  });
  const rows = [
    await world.acceptOne({ to: odd, data: '0x12' }),
    await world.acceptOne({ gasEstimate: null }),
  ];
  await world.startRelay({ keys: await world.createWallets(1, '1000'), rpcUrls: [node.url] });
  await Promise.all(rows.map(({ id }) => world.waitForNode(id)));
  expect(quoted).toBeGreaterThan(0);
});
