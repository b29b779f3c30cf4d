import { type Hex, parseEther, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { DisturbedNode } from '../support/relayNode.ts';
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

/** A node that never receives the first bytes sent to it, however often they are sent. */
async function losesFirstBytes(): Promise<DisturbedNode> {
  let lost: unknown;
  return world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    lost ??= params[0];
    return params[0] === lost ? 'loseRequest' : undefined;
  });
}

describe('a permit that expires', () => {
  /** Mines and indexes a block that is later than this deadline. */
  async function passDeadline(deadline: bigint): Promise<void> {
    await world.client.setNextBlockTimestamp({ timestamp: deadline + 1n });
    await world.client.mine({ blocks: 1 });
    await world.indexOnce();
  }
  const soon = async () => (await world.client.getBlock()).timestamp + 600n;

  test('before it is signed is never sent', async () => {
    const { key, address } = await world.createWallet();
    const deadline = (await world.client.getBlock()).timestamp;
    const late = await world.acceptOne({ deadline });
    const row = await world.acceptOne();
    await world.startRelay({ keys: [key] });
    await world.waitForMints([row.recipient]);
    expect(await world.readRow(late.id)).toMatchObject({ state: 'accepted', attempts: [] });
    expect(await world.client.getTransactionCount({ address })).toBe(1);
  });

  test('before any node had it frees its nonce for later rows', async () => {
    const { key, address } = await world.createWallet();
    const lossy = await losesFirstBytes();
    await world.startRelay({ keys: [key], rpcUrls: [lossy.url] });
    const deadline = await soon();
    const late = await world.acceptOne({ deadline });
    await world.waitForState(late.id, 'signed');
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'signed');
    await passDeadline(deadline);
    await world.waitForState(late.id, 'failed');
    await world.waitForMints([row.recipient]);
    expect((await world.countMints()).has(late.recipient)).toBe(false);
    expect(await world.client.getTransactionCount({ address })).toBe(2);
    expect(await world.readFillers(address)).toEqual([{ nonce: 0, gas: '21000' }]);
  });

  test('with nothing signed after it leaves its nonce to the next one', async () => {
    const { key, address } = await world.createWallet();
    const lossy = await losesFirstBytes();
    await world.startRelay({ keys: [key], rpcUrls: [lossy.url] });
    const deadline = await soon();
    const late = await world.acceptOne({ deadline });
    await world.waitForState(late.id, 'signed');
    await passDeadline(deadline);
    await world.waitForState(late.id, 'failed');
    await waitUntil('the counter is down', async () => (await world.readWallet(address))?.next_nonce === '0');
    const row = await world.acceptOne();
    await world.waitForMints([row.recipient]);
    expect((await world.readRow(row.id)).nonce).toBe(0);
    expect(await world.readFillers(address)).toEqual([]);
  });

  test('in the mempool makes way for later rows', async () => {
    const { key, address } = await world.createWallet();
    await world.client.setAutomine(false);
    await world.startRelay({ keys: [key], settings: { replaceAfterMs: 500 } });
    const deadline = await soon();
    const late = await world.acceptOne({ deadline });
    await world.waitForNode(late.id);
    // Too expensive for the transaction, so it stays in the mempool.
    await world.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 15_000_000_000n });
    await passDeadline(deadline);
    await world.waitForState(late.id, 'failed');
    await waitUntil('its nonce is being freed', async () => {
      await world.mineAt('15');
      return (await world.readFillers(address)).length > 0;
    });
    const row = await world.acceptOne();
    await waitUntil('the next one is mined', async () => {
      await world.client.mine({ blocks: 1 });
      return (await world.countMints()).has(row.recipient);
    });
    expect((await world.countMints()).has(late.recipient)).toBe(false);
    expect((await world.readRow(row.id)).nonce).toBe(1);
  });
});

describe('a wallet without funds', () => {
  test('rests, says so, and sends once it has some', async () => {
    const { key, address } = await world.createWallet('0.00001');
    await world.startRelay({ keys: [key] });
    const row = await world.acceptOne();
    await waitUntil('it rests', async () => (await world.readWallet(address))?.status === 'unfunded');
    expect((await world.readRow(row.id)).state).toBe('accepted');
    await world.client.setBalance({ address, value: 10n ** 18n });
    await world.waitForMints([row.recipient]);
    expect((await world.readWallet(address))?.status).toBe('active');
  });

  test.each([
    ['rests where the chain charges for data more than it has', undefined, 'unfunded'],
    ['signs nothing that its data would cost more than it has', 0n, 'active'],
  ])('%s', async (_, minBalance, status) => {
    // The OP stack's oracle, here charging 0.0001 ether per byte for any input.
    const perByte = parseEther('0.0001').toString(16).padStart(16, '0');
    const oracle = '0x420000000000000000000000000000000000000F';
    await world.client.setCode({ address: oracle, bytecode: `0x60043567${perByte}0260005260206000f3` });
    try {
      const { key, address } = await world.createWallet('0.015');
      const node = await world.disturb(() => undefined);
      const relay = await world.startRelay({ keys: [key], settings: { minBalance }, rpcUrls: [node.url] });
      await waitUntil('the wallet is looked after', async () => {
        const wallet = await world.readWallet(address);
        return wallet?.lease_owner && wallet.status === status;
      });
      const row = await world.acceptOne();
      const asked = node.count('eth_getBlockByNumber');
      await waitUntil('it is looked after again', () => node.count('eth_getBlockByNumber') > asked + 3);
      expect((await world.readRow(row.id)).attempts).toEqual([]);
      await world.client.setBalance({ address, value: parseEther('20') });
      await world.waitForMints([row.recipient]);
      await relay.close();
    } finally {
      await world.client.setCode({ address: oracle, bytecode: '0x' });
    }
  });

  test('enough for a row that came first lets those after it pass, and pays that one once it can', async () => {
    const { key, address } = await world.createWallet('0.05');
    await world.startRelay({ keys: [key], settings: { minBalance: 0n } });
    const dear = await Promise.all(
      Array.from({ length: 30 }, () => world.acceptOne({ gasEstimate: 20_000_000n })),
    );
    const rows = await world.accept(3);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    expect((await world.readWallet(address))?.status).toBe('active');
    const counts = await world.countMints();
    expect(dear.filter(({ recipient }) => counts.has(recipient))).toEqual([]);
    await world.client.setBalance({ address, value: parseEther('20') });
    await world.waitForMints(dear.map(({ recipient }) => recipient));
  });

  test('leaves the work to one that has some', async () => {
    const poor = await world.createWallet('0.00001');
    const rich = await world.createWallet();
    await world.startRelay({ keys: [poor.key, rich.key] });
    const rows = await world.accept(3);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    expect(await world.client.getTransactionCount({ address: rich.address })).toBe(3);
  });

  test.each(['insufficient funds for gas * price + value', 'Upfront cost exceeds account balance'])(
    'in the eyes of a node keeps nonce and bytes until that changes its mind: %s',
    async (message) => {
      const { key, address } = await world.createWallet();
      let isPoor = true;
      const node = await world.disturb(({ method }) =>
        method === 'eth_sendRawTransaction' && isPoor ? { error: { code: -32_000, message } } : undefined,
      );
      await world.startRelay({ keys: [key], rpcUrls: [node.url] });
      await waitUntil('it can send', async () => (await world.readWallet(address))?.status === 'active');
      const row = await world.acceptOne();
      await waitUntil('it rests', async () => (await world.readWallet(address))?.status === 'unfunded');
      const { hash } = await world.waitForState(row.id, 'signed');
      isPoor = false;
      await world.waitForMints([row.recipient]);
      expect(await world.readRow(row.id)).toMatchObject({ hash, nonce: 0 });
      await waitUntil('it sends again', async () => (await world.readWallet(address))?.status === 'active');
    },
  );
});

test('a transaction that no node takes fails, and holds up nothing', async () => {
  const { key } = await world.createWallet();
  let refused: Hex | undefined;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    const { data } = parseTransaction(params[0] as Hex);
    refused ??= data;
    const error = { code: -32_000, message: 'exceeds block gas limit' };
    return data === refused ? { error } : undefined;
  });
  await world.startRelay({ keys: [key], rpcUrls: [node.url], settings: { replaceAfterMs: 500 } });
  world.startIndexing();
  const unwanted = await world.acceptOne();
  await waitUntil('it is signed', async () => (await world.readRow(unwanted.id)).attempts.length > 0);
  const row = await world.acceptOne();
  await world.waitForMints([row.recipient]);
  const { failure } = await world.waitForState(unwanted.id, 'failed');
  expect(failure).toMatchObject({ reason: 'transaction_rejected', objection: 'exceeds block gas limit' });
});
