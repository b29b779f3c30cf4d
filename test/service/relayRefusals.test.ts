import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, keccak256, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld({ anvilArguments: ['--gas-limit', '2000000000'] });
});
afterEach(() => world.reset());
afterAll(() => world.close());

/** The most gas of a transaction on many chains (EIP-7825). */
const cap = 16_777_216n;

/** A relay with one wallet, behind a node that refuses transactions of more gas than `most` in these words. */
async function startRefused(
  most: bigint,
  say: (gas: bigint) => string,
  settings = { replaceAfterMs: 300, resendAfterMs: 200 },
) {
  const { key } = await world.createWallet();
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    const { gas = 0n } = parseTransaction(params[0] as Hex);
    return gas > most ? { error: { code: -32_000, message: say(gas) } } : undefined;
  });
  await world.startRelay({ keys: [key], rpcUrls: [node.url], settings });
  world.startIndexing();
}

/** Makes blocks until it holds. */
const mineUntil = (what: string, isSo: () => Promise<boolean>) =>
  waitUntil(what, async () => {
    await world.client.mine({ blocks: 1 });
    return isSo();
  });

describe('a row that no node takes ends, and rows behind it go on, if the node says', () => {
  test.each<[string, (gas: bigint) => string]>([
    ['geth', (gas) => `transaction gas limit too high (cap: ${cap}, tx: ${gas})`],
    ['Base', (gas) => `exceeds maximum per-transaction gas limit: transaction gas ${gas}, limit ${cap}`],
    ['reth', (gas) => `transaction gas limit ${gas} exceeds maximum transaction gas limit ${cap}`],
    ['revm', () => 'transaction gas limit is greater than the cap'],
    ['Linea', (gas) => `Gas limit of transaction is greater than the allowed max of ${cap} (${gas})`],
    ['Linea, of its prover', () => 'Transaction line count for module HUB=9000 is above the limit 8000'],
    ['nobody knows what', () => 'computer says no'],
  ])('in the words of %s', async (_, say) => {
    await startRefused(cap, say);
    const big = await world.acceptOne({ gasEstimate: 20_000_000n });
    await world.waitForState(big.id, 'signed');
    const other = await world.acceptOne();
    await mineUntil('the other row is mined', async () => (await world.countMints()).has(other.recipient));
    await mineUntil('the row has ended', async () => (await world.readRow(big.id)).state === 'failed');
    const { failure } = await world.readRow(big.id);
    expect(failure).toMatchObject({ reason: 'transaction_rejected', objection: say(25_000_000n) });
    expect((await world.countMints()).has(big.recipient)).toBe(false);
  });
});

test('a row that every node refuses for good keeps others waiting only for a moment', async () => {
  const settings = { replaceAfterMs: 3_600_000, resendAfterMs: 200 };
  await startRefused(cap, () => 'oversized data: transaction size 150000, limit 131072', settings);
  const big = await world.acceptOne({ gasEstimate: 20_000_000n });
  await world.waitForState(big.id, 'signed');
  const other = await world.acceptOne();
  await mineUntil('the other row is mined', async () => (await world.countMints()).has(other.recipient));
  await mineUntil('the row has ended', async () => (await world.readRow(big.id)).state === 'failed');
});

test('a row that a node refuses once in words of its own is mined', async () => {
  const { key } = await world.createWallet();
  let refused: unknown;
  // One of several nodes behind the same address.
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    refused ??= params[0];
    return params[0] === refused ? { error: { code: -32_000, message: 'oversized data' } } : undefined;
  });
  const settings = { replaceAfterMs: 3_600_000, resendAfterMs: 200 };
  await world.startRelay({ keys: [key], rpcUrls: [node.url], settings });
  world.startIndexing();
  const row = await world.acceptOne();
  await mineUntil('it is mined', async () => (await world.countMints()).has(row.recipient));
  expect(await world.readRow(row.id)).toMatchObject({ nonce: 1, failure: null });
});

test('a row that was accepted once and is refused for good since ends', async () => {
  const { key } = await world.createWallet();
  let taken: Hex | undefined;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    const raw = params[0] as Hex;
    if (parseTransaction(raw).gas === 21_000n) return undefined;
    taken ??= raw;
    return taken === raw && node.count(method) === 1
      ? { result: keccak256(raw) }
      : { error: { code: -32_000, message: 'oversized data' } };
  });
  const settings = { replaceAfterMs: 300, resendAfterMs: 200 };
  await world.startRelay({ keys: [key], rpcUrls: [node.url], settings });
  world.startIndexing();
  const row = await world.acceptOne();
  await mineUntil('it has ended', async () => (await world.readRow(row.id)).state === 'failed');
  const { failure, attempts } = await world.readRow(row.id);
  expect(failure).toMatchObject({ reason: 'transaction_rejected' });
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(3);
});

describe('of two nodes', () => {
  const start = async (urls: [string, string], replaceAfterMs: number) => {
    const { key } = await world.createWallet();
    await world.startRelay({ keys: [key], rpcUrls: urls, settings: { replaceAfterMs, resendAfterMs: 200 } });
    world.startIndexing();
  };
  const isSending = ({ method }: { method: string }) => method === 'eth_sendRawTransaction';
  const oversized = { error: { code: -32_000, message: 'oversized data' } };

  test('the one that does not answer is waited for, although the other would never take the row', async () => {
    const strict = await world.disturb((call) => (isSending(call) ? oversized : undefined));
    const isAway = () => strict.count('eth_sendRawTransaction') < 15;
    const away = await world.disturb((call) => (isSending(call) && isAway() ? 'loseRequest' : undefined));
    await start([strict.url, away.url], 3_600_000);
    const row = await world.acceptOne();
    await mineUntil('it is mined', async () => (await world.countMints()).has(row.recipient));
    expect((await world.readRow(row.id)).attempts).toHaveLength(1);
  });

  test('the refusal of one does not fail what the other has accepted and lost', async () => {
    const isCancelled = async () => {
      const query = 'select 1 from service.transaction_attempts where transaction_id is null';
      return (await world.pool.query(query)).rowCount === 1;
    };
    let isTaken = false;
    const forgetful = await world.disturb(async (call) => {
      if (!isSending(call)) return undefined;
      if (isTaken) return (await isCancelled()) ? undefined : 'loseRequest';
      isTaken = true;
      return { result: keccak256(call.params[0] as Hex) };
    });
    const strict = await world.disturb(async (call) =>
      isSending(call) && !(await isCancelled()) ? oversized : undefined,
    );
    await start([forgetful.url, strict.url], 300);
    const row = await world.acceptOne();
    await mineUntil('it is mined', async () => (await world.countMints()).has(row.recipient));
    expect(await world.readRow(row.id)).toMatchObject({ nonce: 1, failure: null });
  });
});

test('a margin makes no transaction larger than chains take', async () => {
  await startRefused(cap, () => 'computer says no');
  const big = await world.acceptOne({ gasEstimate: 16_000_000n });
  await mineUntil('it is mined', async () => (await world.countMints()).has(big.recipient));
  expect((await world.readRow(big.id)).attempts).toHaveLength(1);
});

test.each([
  ['the same process', false],
  ['another process', true],
])(
  'a row whose cancellation no node takes either is sent by %s once nodes take bytes again',
  async (_, isRestarted) => {
    const { key, address } = await world.createWallet();
    let isAway = true;
    const node = await world.disturb(({ method }) =>
      method === 'eth_sendRawTransaction' && isAway
        ? { error: { code: -32_000, message: 'not accepting transactions at the moment' } }
        : undefined,
    );
    const settings = { replaceAfterMs: 300, resendAfterMs: 200 };
    const start = () => world.startRelay({ keys: [key], rpcUrls: [node.url], settings });
    const relay = await start();
    world.startIndexing();
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'signed');
    const query = 'select 1 from service.transaction_attempts where transaction_id is null and wallet = $1';
    await mineUntil('it is cancelled', async () => (await world.pool.query(query, [address])).rowCount === 1);
    // Long enough for a counter to fall that nothing holds.
    await delay(1_000);
    isAway = false;
    if (isRestarted) {
      await relay.close();
      await start();
    }
    await mineUntil('the row is mined', async () => (await world.countMints()).has(row.recipient));
    expect((await world.countMints()).get(row.recipient)).toBe(1);
  },
);
