import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { failOrphan } from '../../src/worker/relay/orphans.ts';
import { readPredecessor } from '../../src/worker/relay/readPredecessor.ts';
import { keeperOf, sharedKeyOf } from '../../src/worker/relay/rowOrder.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createPermitWorld, type PermitRow, type PermitWorld } from './support/permitWorld.ts';
import { storeRecord } from './support/storeRecord.ts';

let world: RelayWorld;
let permits: PermitWorld;
beforeAll(async () => {
  world = await createRelayWorld();
  permits = await createPermitWorld(world);
});
afterEach(async () => {
  await world.reset();
  await world.client.setAutomine(true);
});
afterAll(() => world.close());

const idsOf = (rows: readonly PermitRow[]) => rows.map(({ id }) => id);

/** A node that loses the held bytes until it is opened. */
async function holdFirst() {
  let held: unknown;
  let isOpen = true;
  const node = await world.disturb(({ method, params }) => {
    if (method !== 'eth_sendRawTransaction' || isOpen) return undefined;
    return params[0] === held ? 'loseRequest' : undefined;
  });
  return {
    url: node.url,
    /** From now on, loses these bytes. */
    hold(bytes: unknown) {
      held = bytes;
      isOpen = false;
    },
    open() {
      isOpen = true;
    },
  };
}

async function readBytes(id: string): Promise<unknown> {
  const { rows } = await world.pool.query(
    'select raw_transaction from service.transaction_attempts where transaction_id = $1 order by id limit 1',
    [id],
  );
  return rows[0]?.raw_transaction;
}

describe('inputs that went through several wallets and fell out', () => {
  test.each([
    ['of one signer', ['stay', 'stay', 'stay'] as const, 1],
    ['of two parties that depend on each other', ['ping', 'pong', 'ping'] as const, 2],
  ])('%s all come back, in whatever order they are sent again', async (_, inputs, parties) => {
    const [first, second] = await world.createWallets(2);
    if (!first || !second) throw new Error('two wallets were asked for');
    const agreement = await permits.deploy();
    const accounts = Array.from({ length: parties }, () => permits.createAccount());
    const way = await holdFirst();
    await world.client.mine({ blocks: 5 });
    await world.takeOverMining();
    const stopIndexing = permits.startIndexing(agreement);

    const rows: PermitRow[] = [];
    const nonces = new Map<string, number>();
    for (const [at, inputId] of inputs.entries()) {
      const relay = await world.startRelay({ keys: [at === 0 ? first : second] });
      const account = accounts[at % parties] ?? permits.createAccount();
      const nonce = nonces.get(account.address) ?? 0;
      nonces.set(account.address, nonce + 1);
      // End all leases, so that the row need not stay with the wallet of the inputs before it.
      const row = await permits.accept({ agreement, account, nonce, inputId });
      await world.pool.query(`update service.relayer_wallets set lease_until = now() - interval '1 hour'`);
      await world.waitForState(row.id, 'mined');
      rows.push(row);
      await relay.close();
    }
    way.hold(await readBytes(rows[0]?.id ?? ''));
    await world.dropBlocks(4);
    await world.startRelay({ keys: [first, second], rpcUrls: [way.url] });
    await waitUntil('one was mined before its turn', async () => {
      const address = privateKeyToAddress(second);
      return (await world.client.getTransactionCount({ address })) > 0;
    });
    for (const row of rows.slice(1)) {
      // A row behind the held one may be signed again before the test sees it as accepted.
      await waitUntil('it waits for another turn or has it, or is given up', async () => {
        const { state, attempts } = await world.readRow(row.id);
        return ['accepted', 'failed', 'mined'].includes(state) || attempts.length > 1;
      });
    }
    way.open();
    await waitUntil('all are decided', async () => {
      const states = await Promise.all(rows.map(({ id }) => world.readRow(id)));
      return states.every(({ state }) => state === 'mined' || state === 'failed');
    });
    const states = await Promise.all(rows.map(({ id }) => world.readRow(id)));
    expect(states.map(({ state, failure }) => [state, failure])).toEqual(rows.map(() => ['mined', null]));
    await stopIndexing();
  });
});

describe('a permit for a nonce that later ones of its signer wait for', () => {
  test('is sent before them, although they were accepted first', async () => {
    const agreement = await permits.deploy();
    const stopIndexing = permits.startIndexing(agreement);
    const account = permits.createAccount();
    const node = await world.disturb(() => undefined);
    await world.startRelay({ keys: await world.createWallets(1), rpcUrls: [node.url] });
    const later = await permits.accept({ agreement, account, nonce: 1, gasEstimate: null });
    await waitUntil('it was prepared in vain', () => node.count('eth_estimateGas') > 0);
    const first = await permits.accept({ agreement, account, nonce: 0 });
    for (const { id } of [first, later]) await world.waitForState(id, 'mined');
    await stopIndexing();
  });

  test('that was accepted while its forerunner failed fails too, if nobody signs for that nonce', async () => {
    const agreement = await permits.deploy();
    const stopIndexing = permits.startIndexing(agreement);
    const account = permits.createAccount();
    const failed = await permits.accept({ agreement, account, nonce: 0 });
    await world.pool.query(
      `update service.transactions set state = 'failed', failure = '{"reason": "x", "message": "y"}' where id = $1`,
      [failed.id],
    );
    const orphans = await permits.acceptRow(agreement, { account, first: 1, count: 2, gasEstimate: null });
    await world.startRelay({ keys: await world.createWallets(1) });
    await waitUntil('they have failed', async () => {
      await world.client.mine({ blocks: 1 });
      const states = await Promise.all(orphans.map(async ({ id }) => (await world.readRow(id)).state));
      return states.every((state) => state === 'failed');
    });
    const [first] = orphans;
    expect((await world.readRow(first?.id ?? '')).failure).toMatchObject({ reason: 'predecessor_failed' });
    await stopIndexing();
  });

  test('does not fail with its forerunner if another permit for that nonce is accepted first', async () => {
    const agreement = await permits.deploy();
    const account = permits.createAccount();
    const failed = await permits.accept({ agreement, account, nonce: 0 });
    await world.pool.query(
      `update service.transactions set state = 'failed', failure = '{"reason": "x", "message": "y"}' where id = $1`,
      [failed.id],
    );
    const orphan = await permits.accept({ agreement, account, nonce: 1 });
    await permits.indexOnce(agreement);
    const end = { chainId: world.chainId, id: orphan.id, blockNumber: 0n };
    const again = await permits.accept({ agreement, account, nonce: 0, inputId: 'ping' });
    expect(await failOrphan(world.pool, end)).toBe(false);
    expect((await world.readRow(orphan.id)).state).toBe('accepted');
    await world.pool.query(`update service.transactions set state = 'failed' where id = $1`, [again.id]);
    expect(await failOrphan(world.pool, end)).toBe(true);
  });

  test('is signed with them in the order of their nonces', async () => {
    const agreement = await permits.deploy();
    const stopIndexing = permits.startIndexing(agreement);
    const account = permits.createAccount();
    const rows: PermitRow[] = [];
    for (const nonce of [2, 1, 0]) rows.push(await permits.accept({ agreement, account, nonce }));
    await world.startRelay({ keys: await world.createWallets(1) });
    for (const { id } of rows) await world.waitForState(id, 'mined');
    const attempts = await Promise.all(rows.map(async ({ id }) => (await world.readRow(id)).attempts.length));
    expect(attempts).toEqual([1, 1, 1]);
    await stopIndexing();
  });
});

describe('inputs of one agreement', () => {
  test('go through one wallet while any of them can fall out', async () => {
    const keys = await world.createWallets(3);
    const agreement = await permits.deploy();
    const stopIndexing = permits.startIndexing(agreement);
    await world.startRelay({ keys });
    const account = permits.createAccount();
    const wallets = new Set<unknown>();
    for (let nonce = 0; nonce < 6; nonce++) {
      const row = await permits.accept({ agreement, account, nonce });
      wallets.add((await world.waitForState(row.id, 'mined')).wallet);
    }
    expect(wallets.size).toBe(1);
    await stopIndexing();
  });

  test('go on in another wallet where theirs is full, once nothing of them is under way', async () => {
    const keys = await world.createWallets(3);
    const agreements = [await permits.deploy(), await permits.deploy(), await permits.deploy()];
    const account = permits.createAccount();
    // One wallet starts all three agreements. Afterwards one agreement alone fills it.
    const relay = await world.startRelay({ keys: keys.slice(0, 1), settings: { maxInFlight: 4 } });
    for (const agreement of agreements) {
      const { id } = await permits.accept({ agreement, account, nonce: 0 });
      await world.waitForNode(id);
      await world.pool.query(
        `update service.transactions set state = 'mined', mined_block_number = 1 where id = $1`,
        [id],
      );
    }
    await relay.close();
    await world.client.setAutomine(false);
    const rows: PermitRow[] = [];
    for (const agreement of agreements)
      rows.push(...(await permits.acceptRow(agreement, { account, first: 1, count: 4 })));
    await world.startRelay({ keys, settings: { maxInFlight: 4 } });
    const wallets = await Promise.all(rows.map(async ({ id }) => (await world.waitForNode(id)).wallet));
    for (const [at] of agreements.entries()) expect(new Set(wallets.slice(at * 4, at * 4 + 4)).size).toBe(1);
    expect(new Set(wallets).size).toBe(3);
  });

  test('go on in another wallet where nobody serves theirs', async () => {
    const [first, second] = await world.createWallets(2);
    if (!first || !second) throw new Error('two wallets were asked for');
    const agreement = await permits.deploy();
    const account = permits.createAccount();
    const relay = await world.startRelay({ keys: [first] });
    const { id } = await permits.accept({ agreement, account, nonce: 0 });
    await world.waitForNode(id);
    await relay.close();
    await world.pool.query(
      `update service.transactions set state = 'mined', mined_block_number = 1 where id = $1`,
      [id],
    );
    // As if the wallet's process was killed and no process has its key any more.
    await world.pool.query(
      `update service.relayer_wallets set lease_owner = 'killed', lease_until = now() - interval '1 hour'`,
    );
    const held = Promise.withResolvers<never>();
    await world.startRelay({ keys: [second], awaited: [held.promise] });
    const next = await permits.accept({ agreement, account, nonce: 1 });
    expect((await world.waitForNode(next.id)).wallet).toBe(privateKeyToAddress(second));
  });

  test('go on in no wallet while two wallets have some of them under way', async () => {
    const agreement = await permits.deploy();
    const account = permits.createAccount();
    const [one, two, next] = await permits.acceptRow(agreement, { account, count: 3 });
    const change = (row: PermitRow | undefined, state: string, wallet: string) =>
      world.pool.query(
        'update service.transactions set state = $2, wallet = $3, wallet_nonce = 0 where id = $1',
        [...[row?.id, state, wallet]],
      );
    const readKeeper = async () => {
      const keeper = keeperOf('tx.key', { chainId: '$1', gasEstimate: 'null::bigint', full: `'{}'::text[]` });
      const { rows } = await world.pool.query<{ keeper: string | null }>(
        `select ${keeper} as keeper
         from (select ${sharedKeyOf('tx.')} as key from service.transactions tx where chain_id = $1 and id = $2) as tx`,
        [world.chainId, next?.id],
      );
      return rows[0]?.keeper;
    };
    expect(await readKeeper()).toBeNull();
    for (const state of ['signed', 'broadcast']) {
      await change(one, 'broadcast', '0xone');
      await change(two, state, '0xtwo');
      expect(await readKeeper()).toBe('');
      await change(one, 'mined', '0xone');
      expect(await readKeeper()).toBe('0xtwo');
    }
  });

  test('fail with the one before them that fails for good, and name it', async () => {
    const keys = await world.createWallets(2);
    const agreement = await permits.deploy();
    const account = permits.createAccount();
    await world.client.setAutomine(false);
    await world.startRelay({ keys });
    const first = await permits.accept({ agreement, account, nonce: 0, inputId: 'pong' });
    const others = await permits.acceptRow(agreement, { account, first: 1, count: 2 });
    const unrelated = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    await waitUntil('a node has all', async () => (await world.client.getTxpoolStatus()).pending === 4);
    const stopIndexing = permits.startIndexing(agreement);
    await world.client.mine({ blocks: 1 });
    const { failure } = await world.waitForState(first.id, 'failed');
    expect(failure?.reason).toBe('state_not_accepting');
    for (const { id } of others)
      expect((await world.waitForState(id, 'failed')).failure).toMatchObject({
        reason: 'predecessor_failed',
        predecessor: first.id,
      });
    await world.waitForState(unrelated.id, 'mined');
    await stopIndexing();
  });

  test.each([
    ['estimated', 200_000n],
    ['not estimated', null],
  ])('twenty in a row, %s, are mined in order, in at most two blocks', async (_, gasEstimate) => {
    const keys = await world.createWallets(3);
    const agreement = await permits.deploy();
    const account = permits.createAccount();
    await world.client.setAutomine(false);
    await world.startRelay({ keys });
    const rows = await permits.acceptRow(agreement, { account, count: 20, gasEstimate });
    await waitUntil('a node has all', async () => {
      const { pending } = await world.client.getTxpoolStatus();
      return pending === rows.length;
    });
    await world.client.mine({ blocks: 1 });
    expect(await permits.countPermits(agreement, account.address)).toBe(20n);
    await permits.indexOnce(agreement);
    await world.waitForAll(idsOf(rows), 'mined');
  });
});

test('an input waits for the same signer’s expired one to be decided, and for no other signer’s', async () => {
  const keys = await world.createWallets(1);
  const agreement = await permits.deploy();
  const account = permits.createAccount();
  const deadline = Number((await world.client.getBlock()).timestamp) - 1;
  await permits.accept({ agreement, account, nonce: 0, deadline });
  const other = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
  const next = await permits.accept({ agreement, account, nonce: 1 });
  await world.startRelay({ keys });
  // Rows of one agreement are signed together.
  await world.waitForNode(other.id);
  expect(await world.readRow(next.id)).toMatchObject({ state: 'accepted', attempts: [] });
});

test('an input waits while a reorganisation has its agreement at another address, and goes out once it is back', async () => {
  const keys = await world.createWallets(1);
  const agreement = await permits.deploy();
  const elsewhere = await permits.deploy();
  const moved = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
  const record = await storeRecord(world, moved.id, { address: elsewhere, agreement });
  const other = await permits.accept({ agreement: elsewhere, account: permits.createAccount(), nonce: 0 });
  await world.startRelay({ keys });
  await world.waitForNode(other.id);
  expect(await world.readRow(moved.id)).toMatchObject({ state: 'accepted', attempts: [] });
  await record.moveTo(agreement);
  await world.waitForNode(moved.id);
});

describe('an input whose agreement a reorganisation has moved', () => {
  test('holds up no other signer’s input at its address', async () => {
    const agreement = await permits.deploy();
    const elsewhere = await permits.deploy();
    const moved = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    await storeRecord(world, moved.id, { address: elsewhere, agreement });
    const other = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    await world.startRelay({ keys: await world.createWallets(1) });
    await world.waitForNode(other.id);
    expect(await world.readRow(moved.id)).toMatchObject({ state: 'accepted', attempts: [] });
  });

  test('still comes before its own signer’s later one', async () => {
    const agreement = await permits.deploy();
    const elsewhere = await permits.deploy();
    const account = permits.createAccount();
    const moved = await permits.accept({ agreement, account, nonce: 0 });
    await storeRecord(world, moved.id, { address: elsewhere, agreement });
    const later = await permits.accept({ agreement, account, nonce: 1 });
    expect((await readPredecessor(world.pool, later.id)).predecessor).toBe('open');
  });

  test('comes before another signer’s later one once it is sent, for then it can still be mined', async () => {
    const agreement = await permits.deploy();
    const elsewhere = await permits.deploy();
    const moved = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    await storeRecord(world, moved.id, { address: elsewhere, agreement });
    const later = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    expect((await readPredecessor(world.pool, later.id)).predecessor).toBeUndefined();
    const sent = `update service.transactions set state = 'broadcast', wallet = $2, wallet_nonce = 0 where id = $1`;
    await world.pool.query(sent, [moved.id, (await world.createWallet()).address]);
    expect((await readPredecessor(world.pool, later.id)).predecessor).toBe('open');
  });

  test('does not keep a refused one of another signer from failing', async () => {
    const agreement = await permits.deploy();
    const elsewhere = await permits.deploy();
    const stopIndexing = permits.startIndexing(agreement);
    const moved = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    await storeRecord(world, moved.id, { address: elsewhere, agreement });
    const refused = await permits.accept({
      ...{ agreement, account: permits.createAccount(), nonce: 0 },
      ...{ inputId: 'pong', gasEstimate: null },
    });
    await world.startRelay({ keys: await world.createWallets(1) });
    await waitUntil('it has failed', async () => {
      await world.client.mine({ blocks: 1 });
      return (await world.readRow(refused.id)).state === 'failed';
    });
    expect(await world.readRow(refused.id)).toMatchObject({
      failure: { reason: 'state_not_accepting' },
      attempts: [],
    });
    await stopIndexing();
  });

  test('still comes first while its agreement may be deployed at its address again', async () => {
    const agreement = await permits.deploy();
    const elsewhere = await permits.deploy();
    const first = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    const record = await storeRecord(world, first.id, { address: null, agreement });
    const second = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
    const unrelated = await permits.accept({
      ...{ agreement: elsewhere, account: permits.createAccount(), nonce: 0 },
    });
    await world.startRelay({ keys: await world.createWallets(1) });
    await world.waitForNode(unrelated.id);
    expect(await world.readRow(second.id)).toMatchObject({ state: 'accepted', attempts: [] });
    await record.failDeployment();
    await world.waitForNode(second.id);
    expect(await world.readRow(first.id)).toMatchObject({ state: 'accepted', attempts: [] });
  });
});
