import { randomBytes } from 'node:crypto';
import { type Address, encodeFunctionData, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { channels } from '../../src/api/database/channels.ts';
import { listen } from '../../src/api/database/listen.ts';
import { createLogger } from '../../src/api/log/createLogger.ts';
import type { DisturbedNode } from '../support/relayNode.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createStandInIndex } from './projector/support/standInIndex.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(async () => {
  await world.reset();
  await world.client.setAutomine(true);
});
afterAll(() => world.close());

/** A node to which the first bytes that are sent never come through, however often. */
async function losesFirstBytes(): Promise<DisturbedNode> {
  let lost: unknown;
  return world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    lost ??= params[0];
    return params[0] === lost ? 'loseRequest' : undefined;
  });
}

const fails = (reason: string) =>
  encodeFunctionData({ abi: testTokenAbi, functionName: 'failWithReason', args: [reason] });
/** Of the wallet's own tokens: it reverts as long as that has none. */
const transfers = (to: Address) =>
  encodeFunctionData({ abi: testTokenAbi, functionName: 'transfer', args: [to, 1n] });

async function mintFor(account: Address): Promise<void> {
  const [from] = await world.client.getAddresses();
  const args = [account, 5n] as const;
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: 'mint', args });
  const hash = await world.client.sendTransaction({
    account: from ?? '0x',
    chain: null,
    to: world.token,
    data,
  });
  await awaitReceipt(world.client, hash);
}

/** What the API does when the same permit comes again after its transaction failed. */
async function reopen(id: string): Promise<void> {
  await world.pool.query(
    `with opened as (
       update service.transactions set state = 'accepted', failure = null, wallet = null, wallet_nonce = null, tx_hash = null
       where id = $1 returning chain_id)
     select pg_notify($2, chain_id::text) from opened`,
    [id, channels.outbox],
  );
}

async function readBalance(account: Address): Promise<bigint> {
  const reading = { address: world.token, abi: testTokenAbi, functionName: 'balanceOf' } as const;
  return world.client.readContract({ ...reading, args: [account] });
}

describe('a transaction that reverts', () => {
  test.each([
    ['the gate is shut', 'action_reverted'],
    ['No valid transition', 'state_not_accepting'],
  ])(
    'with %j fails as %s once the index has passed its block, together with its input and its Draft',
    async (text, reason) => {
      const { key } = await world.createWallet();
      await world.startRelay({ keys: [key] });
      const { id } = await world.acceptOne({ data: fails(text) });
      const waiting = await storeWaiting(id);
      const told: string[] = [];
      const listener = listen({
        url: world.databaseUrl,
        channels: [channels.transactionChanged],
        onNotification: (_channel, payload) => told.push(payload),
        onConnected() {},
        logger: createLogger({ level: 'silent', name: 'test' }),
      });
      await listener.ready;
      const { hash } = await world.waitForNode(id);
      await awaitReceipt(world.client, hash ?? '0x');

      told.length = 0;
      await world.indexOnce();
      const { failure } = await world.waitForState(id, 'failed');
      expect(failure).toMatchObject({
        reason,
        message: `The transaction reverted. ${text}`,
        transactionHash: hash,
      });
      await waitUntil('whoever listens is told', () => told.includes(id));
      await listener.close();
      const error = { reason, message: `The transaction reverted. ${text}` };
      expect(await waiting.read()).toEqual({ status: 'FAILED', input_error: error, draft_error: error });
    },
  );

  test('waits for the index as long as that is behind', async () => {
    const { key } = await world.createWallet();
    const node = await world.disturb(() => undefined);
    await world.indexOnce();
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    const { id } = await world.acceptOne({ data: fails('too early') });
    const { hash } = await world.waitForNode(id);
    await awaitReceipt(world.client, hash ?? '0x');
    await waitUntil('its receipt was read', () => node.count('eth_getTransactionReceipt') >= 3);
    expect((await world.readRow(id)).state).toBe('signed');
  });

  test('is believed to have done so only once its block has its confirmations', async () => {
    const { key } = await world.createWallet();
    const node = await world.disturb(() => undefined);
    await world.startRelay({ keys: [key], rpcUrls: [node.url], confirmations: 3 });
    const { id } = await world.acceptOne({ data: fails('not for good yet') });
    const { hash } = await world.waitForNode(id);
    await awaitReceipt(world.client, hash ?? '0x');
    await world.client.mine({ blocks: 1 });
    await world.indexOnce();
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('it was looked at', () => node.count('eth_getTransactionReceipt') > looks + 3);
    expect((await world.readRow(id)).failure).toBeNull();
    await world.client.mine({ blocks: 1 });
    await world.indexOnce();
    await world.waitForState(id, 'failed');
  });

  test('does not fail while the index shows its permit used up, for what that did is the projector’s to say', async () => {
    const { key } = await world.createWallet();
    const node = await world.disturb(() => undefined);
    const index = createStandInIndex({ pool: world.pool, factory: world.token });
    await index.deploy();
    const { id, recipient } = await world.acceptOne({ data: fails('the nonce is used up') });
    await world.pool.query(
      `insert into chain_index.inputs (chain_id, agreement, position, input_id, from_state, to_state, payload, permit_signer,
         permit_nonce, transaction_hash, transaction_from, transaction_ordinal, log_index, block_number, block_hash,
         block_timestamp)
       values ($1, lower($2), 1, '0x', '0x', '0x', '0x', lower($3), 0, '0x', '0x', 0, 0, 1, '0x', 1)`,
      [world.chainId, world.token, recipient],
    );
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    const { hash } = await world.waitForNode(id);
    await awaitReceipt(world.client, hash ?? '0x');
    await world.indexOnce();
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('it was looked at', () => node.count('eth_getTransactionReceipt') > looks + 3);
    expect((await world.readRow(id)).failure).toBeNull();
    await index.removeViews();
    await world.waitForState(id, 'failed');
  });

  test('is sent again where the same call would succeed now', async () => {
    const { key, address } = await world.createWallet();
    const other = await world.createWallet();
    await world.startRelay({ keys: [key] });
    const { id } = await world.acceptOne({ data: transfers(other.address) });
    const { hash } = await world.waitForNode(id);
    await awaitReceipt(world.client, hash ?? '0x');
    await mintFor(address);
    await world.indexOnce();
    await waitUntil('it has happened', async () => (await readBalance(other.address)) === 1n);
    const { attempts } = await world.readRow(id);
    expect(attempts.map(({ nonce }) => nonce)).toEqual([0, 1]);
  });

  test('can be opened again, and gets a nonce of its own', async () => {
    const { key, address } = await world.createWallet();
    const other = await world.createWallet();
    await world.startRelay({ keys: [key] });
    const { id } = await world.acceptOne({ data: transfers(other.address) });
    await world.waitForNode(id);
    world.startIndexing();
    const { failure } = await world.waitForState(id, 'failed');
    expect(failure?.message).toContain('ERC20InsufficientBalance');
    await mintFor(address);
    await reopen(id);
    await waitUntil('it has happened', async () => (await readBalance(other.address)) === 1n);
    expect((await world.readRow(id)).attempts.map(({ nonce }) => nonce)).toEqual([0, 1]);
  });
});

describe('a permit that expires', () => {
  /** Mines a block in which every deadline until now has passed. */
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

  test('before any node had it frees its nonce for what was signed after it', async () => {
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

  test('in the mempool makes way for what was signed after it', async () => {
    const { key, address } = await world.createWallet();
    await world.client.setAutomine(false);
    await world.startRelay({ keys: [key], settings: { replaceAfterMs: 500 } });
    const deadline = await soon();
    const late = await world.acceptOne({ deadline });
    await world.waitForNode(late.id);
    // Too dear for it, so that it stays where it is.
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
    // The oracle of the OP stack, that charges 0.0001 Ether a byte whatever it is asked.
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

  test('leaves the work to one that has some', async () => {
    const poor = await world.createWallet('0.00001');
    const rich = await world.createWallet();
    await world.startRelay({ keys: [poor.key, rich.key] });
    const rows = await world.accept(3);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    expect(await world.client.getTransactionCount({ address: rich.address })).toBe(3);
  });

  test('in the eyes of a node keeps nonce and bytes until that changes its mind', async () => {
    const { key, address } = await world.createWallet();
    let isPoor = true;
    const node = await world.disturb(({ method }) =>
      method === 'eth_sendRawTransaction' && isPoor
        ? { error: { code: -32_000, message: 'insufficient funds for gas * price + value' } }
        : undefined,
    );
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    const row = await world.acceptOne();
    await waitUntil('it rests', async () => (await world.readWallet(address))?.status === 'unfunded');
    const { hash } = await world.waitForState(row.id, 'signed');
    isPoor = false;
    await world.waitForMints([row.recipient]);
    expect(await world.readRow(row.id)).toMatchObject({ hash, nonce: 0 });
    await waitUntil('it sends again', async () => (await world.readWallet(address))?.status === 'active');
  });
});

test('a transaction that no node takes fails, and holds up nothing', async () => {
  const { key } = await world.createWallet();
  let refused: unknown;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined;
    refused ??= params[0];
    const error = { code: -32_000, message: 'exceeds block gas limit' };
    return params[0] === refused ? { error } : undefined;
  });
  await world.startRelay({ keys: [key], rpcUrls: [node.url], settings: { replaceAfterMs: 500 } });
  const unwanted = await world.acceptOne();
  await waitUntil('it is signed', async () => (await world.readRow(unwanted.id)).attempts.length > 0);
  const row = await world.acceptOne();
  await world.waitForMints([row.recipient]);
  const { failure } = await world.waitForState(unwanted.id, 'failed');
  expect(failure).toMatchObject({ reason: 'transaction_rejected', objection: 'exceeds block gas limit' });
});

/** An input and a Draft that wait for a transaction. */
async function storeWaiting(transactionId: string) {
  const id = randomBytes(8).toString('hex');
  const { pool, chainId, token } = world;
  await pool.query(`insert into service.principals (id, name) values ($1, $1)`, [id]);
  await pool.query(
    `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
       participants, observers, contributors, initial_variables, variables, deploy_transaction_id)
     values ($1, $1, $2, 'Draft', '', '{}', '0x', '', '', '[]', '[]', '[]', '{}', '{}', $3)`,
    [id, chainId, transactionId],
  );
  await pool.query(
    `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, values, transaction_id)
     values ($1, $1, $2, $3, 'act', 'PENDING', '0x', '{}', $4)`,
    [id, chainId, token, transactionId],
  );
  return {
    async read() {
      const { rows } = await pool.query(
        `select input.status, input.error as input_error, record.error as draft_error
         from service.inputs input join service.records record on record.id = input.record_id where input.id = $1`,
        [id],
      );
      return rows[0];
    },
  };
}
