import { type Address, parseGwei } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(async () => {
  await world.reset();
  await world.client.setAutomine(true);
  await world.mineAt('1');
});
afterAll(() => world.close());

/** A base fee too high for any transaction signed at the usual one. */
const dear = '40';

async function mineUntilMinted(recipient: Address): Promise<void> {
  await waitUntil('it is mined', async () => {
    await world.client.mine({ blocks: 1 });
    return (await world.countMints()).has(recipient);
  });
}

describe('a transaction that has become too cheap', () => {
  test('is replaced under its own nonce by one that offers enough', async () => {
    const { key, address } = await world.createWallet();
    await world.client.setAutomine(false);
    await world.startRelay({ keys: [key], settings: { replaceAfterMs: 300 } });
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'broadcast');
    await waitUntil('it is replaced', async () => {
      await world.mineAt(dear);
      return (await world.readRow(row.id)).attempts.length > 1;
    });
    await mineUntilMinted(row.recipient);
    const { attempts, hash } = await world.readRow(row.id);
    expect(new Set(attempts.map(({ nonce }) => nonce))).toEqual(new Set([0]));
    expect(hash).toBe(attempts.at(-1)?.hash);
    for (const [at, { fee }] of attempts.entries())
      expect(fee * 8n).toBeGreaterThanOrEqual((attempts[at - 1]?.fee ?? 0n) * 9n);
    expect((await world.countMints()).get(row.recipient)).toBe(1);
    expect(await world.client.getTransactionCount({ address })).toBe(1);
  });

  test.each([
    ['the time', { replaceAfterMs: 300, secondsLeft: 3_600n }],
    ['the deadline', { replaceAfterMs: 600_000, secondsLeft: -3_600n }],
  ])(
    'keeps its fees until two blocks have left it out, however much %s presses',
    async (_, { replaceAfterMs, secondsLeft }) => {
      const { key } = await world.createWallet();
      await world.client.setAutomine(false);
      // If Anvil already has a transaction, it rejects it for its fees; other nodes do not.
      const taken = new Set<unknown>();
      const node = await world.disturb(({ method, params }) => {
        if (method !== 'eth_sendRawTransaction') return undefined;
        if (taken.has(params[0])) return { error: { code: -32_000, message: 'already known' } };
        taken.add(params[0]);
        return undefined;
      });
      const settings = { replaceAfterMs, resendAfterMs: 200 };
      await world.startRelay({ keys: [key], rpcUrls: [node.url], settings });
      const row = await world.acceptOne();
      await world.waitForNode(row.id);
      const { timestamp } = await world.client.getBlock();
      await world.pool.query('update service.transactions set deadline = $2 where id = $1', [
        row.id,
        String(timestamp + secondsLeft),
      ]);
      const countAttempts = async () => (await world.readRow(row.id)).attempts.length;
      const expectOnlyResent = async () => {
        const sends = node.count('eth_sendRawTransaction');
        await waitUntil('it was sent again', () => node.count('eth_sendRawTransaction') > sends + 6);
        expect(await countAttempts()).toBe(1);
      };
      await expectOnlyResent();
      await world.mineAt(dear);
      await expectOnlyResent();
      await world.mineAt(dear);
      await waitUntil('it is replaced', async () => (await countAttempts()) > 1);
      await mineUntilMinted(row.recipient);
    },
  );

  test('at the cap waits with the same bytes until the chain is cheaper, and nothing else is signed meanwhile', async () => {
    const { key } = await world.createWallet();
    await world.client.setAutomine(false);
    const maxFeePerGas = parseGwei('6');
    const node = await world.disturb(() => undefined);
    const countSends = () => node.count('eth_sendRawTransaction');
    await world.startRelay({
      keys: [key],
      rpcUrls: [node.url],
      settings: { replaceAfterMs: 100, maxFeePerGas },
    });
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'broadcast');
    await world.mineAt('30');
    const blocks = node.count('eth_getBlockByNumber');
    await waitUntil('the base fee is seen', () => node.count('eth_getBlockByNumber') > blocks + 3);
    const { attempts: seen } = await world.readRow(row.id);
    const held = await world.acceptOne();
    // Without progress the relay resends the bytes; it never raises their fee above the cap.
    const before = countSends();
    await waitUntil('they were sent again', async () => {
      await world.mineAt('30');
      return countSends() > before + 6;
    });
    const { attempts } = await world.readRow(row.id);
    for (const { fee } of attempts) expect(fee).toBeLessThanOrEqual(maxFeePerGas);
    // The relay also signs no new offers, because it would have to pay them once the chain is cheaper.
    expect(attempts).toEqual(seen);
    expect((await world.readRow(held.id)).state).toBe('accepted');

    await world.mineAt('1');
    await mineUntilMinted(row.recipient);
    await mineUntilMinted(held.recipient);
  });
});

test('a node that finds the fees too low gets the same nonce for more', async () => {
  const { key } = await world.createWallet();
  let refused: unknown;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    refused ??= params[0];
    const error = { code: -32_000, message: 'replacement transaction underpriced' };
    return params[0] === refused ? { error } : undefined;
  });
  await world.startRelay({ keys: [key], rpcUrls: [node.url] });
  const row = await world.acceptOne();
  await world.waitForMints([row.recipient]);
  const { attempts } = await world.waitForNode(row.id);
  expect(attempts.map(({ nonce, isAccepted }) => ({ nonce, isAccepted }))).toEqual([
    { nonce: 0, isAccepted: false },
    { nonce: 0, isAccepted: true },
  ]);
});

describe('gas', () => {
  test('is estimated where nothing is known of it', async () => {
    const { key } = await world.createWallet();
    await world.startRelay({ keys: [key] });
    const row = await world.acceptOne({ gasEstimate: null });
    await world.waitForMints([row.recipient]);
  });

  test('that did not suffice is estimated anew for another try', async () => {
    const { key } = await world.createWallet();
    await world.startRelay({ keys: [key] });
    world.startIndexing();
    const row = await world.acceptOne({ gasEstimate: 24_000n });
    await world.waitForState(row.id, 'mined');
    expect((await world.readRow(row.id)).attempts.map(({ nonce }) => nonce)).toEqual([0, 1]);
  });
});
