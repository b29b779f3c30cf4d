import { randomBytes } from 'node:crypto';
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { channels } from '../../src/platform/database/channels.ts';
import { listen } from '../../src/platform/database/listen.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { noDataFee } from '../../src/platform/nodes/dataFee.ts';
import { readChainView } from '../../src/worker/relay/chainView.ts';
import { createGasLessons } from '../../src/worker/relay/gasLessons.ts';
import { createPreparations } from '../../src/worker/relay/preparations.ts';
import { callsBehind, unknownBlock } from '../support/callsBehind.ts';
import { quickSettings } from '../support/relaySettings.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createStandInIndex } from './projector/support/standInIndex.ts';
import { showUsedPermit } from './support/usedPermit.ts';

let world: RelayWorld;
let index: ReturnType<typeof createStandInIndex>;
beforeAll(async () => {
  world = await createRelayWorld();
  index = createStandInIndex({ pool: world.pool, factory: world.token });
});
afterEach(async () => {
  await world.reset();
  await world.client.setAutomine(true);
});
afterAll(() => world.close());

const fails = (reason: string) =>
  encodeFunctionData({ abi: testTokenAbi, functionName: 'failWithReason', args: [reason] });
/** Transfers the wallet's own tokens: it reverts while the wallet has none. */
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

/** Does what the API does if the same permit arrives again after its transaction failed. */
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
    ['the gate is shut', '"the gate is shut"', 'action_reverted'],
    ['No valid transition', '"No valid transition"', 'state_not_accepting'],
    ['shut\n\u202ePay "again"', String.raw`"shut\n\u{202e}Pay \"again\""`, 'action_reverted'],
  ])(
    'with %j fails with %s as %s once the index has passed its block, together with its input and its Draft',
    async (text, shown, reason) => {
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
        message: `The transaction reverted. The contract says: ${shown}.`,
        revert: { name: 'Error', message: text },
        transactionHash: hash,
      });
      await waitUntil('whoever listens is told', () => told.includes(id));
      await listener.close();
      const error = { reason, message: `The transaction reverted. The contract says: ${shown}.` };
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
    // Whether its answer was noted is not the point.
    expect(['signed', 'broadcast']).toContain((await world.readRow(id)).state);
  });

  test('is looked at in turn with those of many other principals that cannot be decided either', async () => {
    const { key } = await world.createWallet();
    const looked = new Set<unknown>();
    const node = await world.disturb(({ method, params }) => {
      if (method === 'eth_getTransactionReceipt') looked.add(params[0]);
      return undefined;
    });
    await world.indexOnce();
    for (let owner = 0; owner < 20; owner++)
      await world.accept(1, { data: fails('too early'), principalId: `principal ${owner}` });
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    await waitUntil('each was looked at', () => looked.size === 20);
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
    await index.deploy();
    const { id, recipient } = await world.acceptOne({ kind: 'input', data: fails('the nonce is used up') });
    await showUsedPermit(world.pool, { chainId: world.chainId, agreement: world.token, signer: recipient });
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

  test('is sent again if the same call would succeed now', async () => {
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

  test('waits for the one before it that its wallet has sent too, and then goes on', async () => {
    const { key, address } = await world.createWallet();
    const other = await world.createWallet();
    const node = await world.disturb(() => undefined);
    await index.deploy();
    const first = await world.acceptOne({ kind: 'input', data: fails('not decided yet') });
    const { id } = await world.acceptOne({ kind: 'input', data: transfers(other.address) });
    const used = { chainId: world.chainId, agreement: world.token, signer: first.recipient };
    await showUsedPermit(world.pool, used);
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    for (const row of [first.id, id]) {
      const { hash } = await world.waitForNode(row);
      await awaitReceipt(world.client, hash ?? '0x');
    }
    await mintFor(address);
    await world.indexOnce();
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('both were looked at', () => node.count('eth_getTransactionReceipt') > looks + 8);
    expect((await world.readRow(id)).attempts.map(({ nonce }) => nonce)).toEqual([1]);
    await index.removeViews();
    await world.waitForState(first.id, 'failed');
    await waitUntil('it has happened', async () => (await readBalance(other.address)) === 1n);
  });

  test('is not judged by a node that lacks the folded block', async () => {
    const { key, address } = await world.createWallet();
    const other = await world.createWallet();
    let behindAt: Hex | undefined;
    let calls = 0;
    const node = await world.disturb((call) => {
      if (behindAt === undefined) return undefined;
      if (call.method === 'eth_call') calls++;
      return callsBehind(call, behindAt, unknownBlock);
    });
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    const { id } = await world.acceptOne({ data: transfers(other.address) });
    const { hash } = await world.waitForNode(id);
    const { blockNumber } = await awaitReceipt(world.client, hash ?? '0x');
    await mintFor(address);
    behindAt = numberToHex(blockNumber);
    await world.indexOnce();
    await waitUntil('it was looked at', () => calls > 5);
    expect((await world.readRow(id)).failure).toBeNull();
    behindAt = undefined;
    await waitUntil('it has happened', async () => (await readBalance(other.address)) === 1n);
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

  test('is not paid for once more on its stored gas: a node must find that it would succeed', async () => {
    const { key, address } = await world.createWallet();
    const other = await world.createWallet();
    const relay = await world.startRelay({ keys: [key] });
    const { id } = await world.acceptOne({ data: transfers(other.address) });
    const { hash } = await world.waitForNode(id);
    await awaitReceipt(world.client, hash ?? '0x');
    await relay.close();
    await reopen(id);
    const prepare = await createPreparing(id, address);
    expect(await prepare()).toBeUndefined();
    await mintFor(address);
    expect((await prepare())?.gas).toBeGreaterThan(21_000n);
  });
});

/**
 * Returns a function that prepares the row again on each call and returns the terms under which the relay
 * would sign it.
 */
async function createPreparing(id: string, wallet: Address) {
  const { pool, client, chainId } = world;
  const { rows } = await pool.query<{ signer: Address; callData: Hex; attempt: string; gas: string }>(
    `select signer, call_data as "callData", gas_estimate as gas, (
       select max(id) from service.transaction_attempts where transaction_id = tx.id) as attempt
     from service.transactions tx where id = $1`,
    [id],
  );
  const [found] = rows;
  if (!found) throw new Error(`there is no row ${id}`);
  const row = {
    ...{ id, contract: world.token, callData: found.callData },
    permit: { signer: found.signer, nonce: 0n },
    gasEstimate: BigInt(found.gas),
    lastAttemptId: found.attempt,
    ...{ after: [], key: id, keeper: undefined, principalId: null, traceParent: null },
  };
  const logger = createLogger({ level: 'silent', name: 'test' });
  const preparations = createPreparations({
    ...{ pool, client, chainId, logger, endpoints: [client], settings: quickSettings, confirmations: 1 },
    lessons: createGasLessons({ pool, client, logger }),
    onReady() {},
  });
  return async () => {
    const readDataFee = async () => noDataFee;
    const view = await readChainView(client, { addresses: [wallet], readDataFee, previous: undefined });
    preparations.prepare(row, { view, wallet });
    await preparations.idle();
    return preparations.findTerms(row, view);
  };
}

/** Stores an input and a Draft that wait for the transaction. */
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
