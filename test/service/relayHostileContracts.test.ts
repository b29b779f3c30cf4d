import { randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createChainAccess } from '../../src/platform/nodes/clients.ts';
import { createGasLessons } from '../../src/worker/relay/gasLessons.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { createPermitWorld, type PermitRow, type PermitWorld } from './support/permitWorld.ts';
import { storeRecord } from './support/storeRecord.ts';

let world: RelayWorld;
let permits: PermitWorld;
beforeAll(async () => {
  // As some nodes do, it runs calls with far more gas than a block has.
  world = await createRelayWorld({ anvilArguments: ['--gas-limit', '2000000000'] });
  permits = await createPermitWorld(world);
});
afterEach(() => world.reset());
afterAll(() => world.close());

/** Reverts without data below 100,000,000 gas, and with 8,000,000 bytes above. */
const longRevert = '0x6305F5E1005a11600d575f5ffd5b627A12005ffd';
/** Reverts with `Listed(string[])`: 2,000 texts, which are all one text of 300,000 bytes. */
const sharedRevert =
  '0x63bf825d1e60e01b5f5260206004526107d06024526107d05b600190038061fa008160051b60440152601857620493e061fa445262058e445ffd';
const plainRevert = '0x5f5ffd';
/** Emits 30,000 empty logs. */
const manyLogs = '0x620075305b5f5fa0600190038060045700';

async function place(bytecode: Hex): Promise<Address> {
  const address: Address = `0x${randomBytes(20).toString('hex')}`;
  await world.client.setCode({ address, bytecode });
  return address;
}

async function createPrincipal(): Promise<string> {
  const id = `prn_${randomBytes(16).toString('hex')}`;
  await world.pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  return id;
}

/** An input that reverts when it is mined. */
async function acceptReverting(agreement: Address, inputId: 'stay' | 'pong'): Promise<PermitRow> {
  const principalId = await createPrincipal();
  return permits.accept({ agreement, account: permits.createAccount(), nonce: 0, inputId, principalId });
}

test('a contract whose revert has megabytes fails like any other, and holds up nobody', async () => {
  const hostile = await permits.deploy({ action: await place(longRevert) });
  const honest = await permits.deploy();
  const stopIndexing = permits.startIndexing(hostile);
  await world.startRelay({ keys: await world.createWallets(1) });
  const rows = [await acceptReverting(hostile, 'stay')];
  for (let count = 0; count < 4; count++) rows.push(await acceptReverting(honest, 'pong'));
  for (const { id } of rows) {
    const { failure } = await world.waitForState(id, 'failed');
    expect(failure).toMatchObject({ message: expect.stringContaining('The transaction reverted.') });
  }
  await stopIndexing();
});

test('a revert whose texts share their bytes is not read as the error that the document lists', async () => {
  const agreement = await permits.deploy({ action: await place(sharedRevert) });
  const stopIndexing = permits.startIndexing(agreement);
  const { id } = await acceptReverting(agreement, 'stay');
  const abi = [{ type: 'error', name: 'Listed', inputs: [{ name: 'texts', type: 'string[]' }] }];
  await storeRecord(world, id, { address: agreement, agreement });
  await world.pool.query('update service.records set document = $2 where address = $1', [
    agreement,
    JSON.stringify({ execution: { actions: [{ call: { abi } }] } }),
  ]);
  await world.startRelay({ keys: await world.createWallets(1) });
  const { failure } = await world.waitForState(id, 'failed');
  expect(failure).toMatchObject({ revert: { name: 'Unknown', data: expect.stringMatching(/^0xbf825d1e/) } });
  await stopIndexing();
});

test('rows of other principals are settled while a node does not answer about one', async () => {
  const hostile = await permits.deploy({ action: await place(plainRevert) });
  const honest = await permits.deploy();
  const stopIndexing = permits.startIndexing(hostile);
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const isAboutHostile = ([call]: unknown[]) =>
    Object(call).to?.toLowerCase() === hostile.toLowerCase() && String(Object(call).data).length > 200;
  const node = await world.disturb(async ({ method, params }) => {
    if (method !== 'eth_call' || !isAboutHostile(params)) return undefined;
    asked.resolve();
    await released.promise;
    return undefined;
  });
  await world.startRelay({
    keys: await world.createWallets(1),
    rpcUrls: [node.url],
    rpcTimeoutMs: 120_000,
  });
  const slow = await acceptReverting(hostile, 'stay');
  await asked.promise;
  for (let count = 0; count < 4; count++) {
    const { id } = await acceptReverting(honest, 'pong');
    await world.waitForState(id, 'failed');
  }
  expect(await world.readRow(slow.id)).toMatchObject({ state: 'signed' });
  released.resolve();
  await world.waitForState(slow.id, 'failed');
  await stopIndexing();
});

test('a receipt that is too long is asked for once, and teaches nothing', async () => {
  const agreement = await permits.deploy({ action: await place(manyLogs) });
  const stopIndexing = permits.startIndexing(agreement);
  await world.startRelay({ keys: await world.createWallets(1) });
  const account = permits.createAccount();
  const { id } = await permits.accept({ agreement, account, nonce: 0, gasEstimate: 20_000_000n });
  await world.waitForState(id, 'mined');
  const node = await world.disturb(() => undefined);
  const { chainId, pool } = world;
  const access = createChainAccess([{ chainId, name: 'test', rpcUrls: [node.url] }], {
    rpcTimeoutMs: 10_000,
  });
  const client = access.clients.get(chainId);
  if (!client) throw new Error('the chain has no client');
  const lessons = createGasLessons({ pool, client, logger: createLogger({ level: 'silent', name: 'test' }) });
  await lessons.note({ id, callData: '0x' }, 1n);
  await lessons.compare();
  const asked = node.count('eth_getTransactionReceipt');
  expect(asked).toBeGreaterThan(0);
  await lessons.compare();
  expect(node.count('eth_getTransactionReceipt')).toBe(asked);
  await stopIndexing();
});
