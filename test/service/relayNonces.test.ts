import { type Address, createPublicClient, type Hex, http, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { findFate } from '../../src/worker/relay/attemptFate.ts';
import { isPermitUsed } from '../../src/worker/relay/isPermitUsed.ts';
import type { Disturbance, RpcCall } from '../support/relayNode.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createStandInIndex, type StandInIndex } from './projector/support/standInIndex.ts';
import { showUsedPermit } from './support/usedPermit.ts';

let world: RelayWorld;
let index: StandInIndex;
beforeAll(async () => {
  world = await createRelayWorld();
  index = createStandInIndex({ pool: world.pool, factory: world.token });
});
afterEach(async () => {
  await index.removeViews();
  await world.reset();
  await world.client.setAutomine(true);
  await world.mineAt('1');
});
afterAll(() => world.close());

const isSend = ({ method }: RpcCall) => method === 'eth_sendRawTransaction';

async function insertWallet(address: Address, nextNonce: number): Promise<void> {
  await world.pool.query(
    `insert into service.relayer_wallets (chain_id, address, status, balance, next_nonce) values ($1, $2, 'active', 1, $3)`,
    [world.chainId, address, nextNonce],
  );
}

/** A transaction of the same wallet that the relay does not know. */
async function sendElsewhere(
  key: Hex,
  { nonce, gwei = 20n }: { nonce: number; gwei?: bigint },
): Promise<Hex> {
  const account = privateKeyToAccount(key);
  const fee = gwei * 1_000_000_000n;
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: world.chainId,
    nonce,
    to: account.address,
    gas: 21_000n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
  });
  return world.client.sendRawTransaction({ serializedTransaction: raw });
}

async function expectMintedOnce(rows: readonly { recipient: Address }[]): Promise<void> {
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  const counts = await world.countMints();
  expect(rows.map(({ recipient }) => counts.get(recipient))).toEqual(rows.map(() => 1));
}

describe('the counter of a wallet', () => {
  test('that is ahead of the chain with nothing under way goes down, and sent rows are mined', async () => {
    const { key, address } = await world.createWallet();
    await insertWallet(address, 7);
    await world.startRelay({ keys: [key] });
    const row = await world.acceptOne();
    await expectMintedOnce([row]);
    expect((await world.readRow(row.id)).nonce).toBe(0);
    expect((await world.readWallet(address))?.next_nonce).toBe('1');
  });

  test('that is behind the chain, because the key was used elsewhere, goes up', async () => {
    const { key, address } = await world.createWallet();
    await insertWallet(address, 0);
    for (const nonce of [0, 1, 2]) await sendElsewhere(key, { nonce });
    await waitUntil(
      'they are mined',
      async () => (await world.client.getTransactionCount({ address })) === 3,
    );
    await world.startRelay({ keys: [key] });
    const row = await world.acceptOne();
    await expectMintedOnce([row]);
    const { nonce, attempts } = await world.readRow(row.id);
    expect({ nonce, attempts: attempts.length }).toEqual({ nonce: 3, attempts: 1 });
  });

  test('leaves out what somebody else has in the mempool', async () => {
    const { key } = await world.createWallet();
    await world.client.setAutomine(false);
    await sendElsewhere(key, { nonce: 0 });
    await world.startRelay({ keys: [key] });
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'broadcast');
    await world.client.mine({ blocks: 1 });
    await expectMintedOnce([row]);
    expect((await world.readRow(row.id)).nonce).toBe(1);
  });
});

describe('a nonce at which somebody else has a transaction in the mempool', () => {
  test('is theirs until two blocks have left it out, even if the wallet was idle before', async () => {
    const { key, address } = await world.createWallet();
    await world.client.setAutomine(false);
    const node = await world.disturb(() => undefined);
    const look = async () => {
      const looks = node.count('eth_getBlockByNumber');
      await waitUntil('the relay has looked', () => node.count('eth_getBlockByNumber') > looks + 5);
    };
    const expectLeftAlone = async () => {
      await look();
      expect(await world.readFillers(address)).toEqual([]);
    };
    await world.startRelay({ keys: [key], rpcUrls: [node.url], settings: { replaceAfterMs: 50 } });
    await look();
    await world.client.mine({ blocks: 3 });
    await look();
    await sendElsewhere(key, { nonce: 0, gwei: 2n });
    // Blocks are now too small for any transaction.
    const { gasLimit } = await world.client.getBlock();
    await world.client.setBlockGasLimit({ gasLimit: 20_000n });
    await waitUntil('it is left out', async () => (await world.readWallet(address))?.next_nonce === '1');
    await expectLeftAlone();
    await world.client.mine({ blocks: 1 });
    await expectLeftAlone();
    await world.client.mine({ blocks: 1 });
    await waitUntil('the nonce is being used up', async () => (await world.readFillers(address)).length > 0);

    await world.client.setBlockGasLimit({ gasLimit });
    await world.client.setAutomine(true);
    const row = await world.acceptOne();
    await expectMintedOnce([row]);
    expect((await world.readRow(row.id)).nonce).toBe(1);
  });
});

describe('bytes that were signed', () => {
  test('and never left the process are sent by the next one, unchanged', async () => {
    const { key } = await world.createWallet();
    const silent = await world.disturb((call) => (isSend(call) ? 'loseRequest' : undefined));
    const relay = await world.startRelay({ keys: [key], rpcUrls: [silent.url] });
    const rows = await world.accept(5);
    const before = await Promise.all(rows.map(({ id }) => world.waitForState(id, 'signed')));
    await relay.close();
    expect(
      await world.countMints().then((counts) => rows.some(({ recipient }) => counts.has(recipient))),
    ).toBe(false);

    await world.startRelay({ keys: [key] });
    await expectMintedOnce(rows);
    const after = await Promise.all(rows.map(({ id }) => world.readRow(id)));
    expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(after.map(({ attempts }) => attempts.length)).toEqual(rows.map(() => 1));
  });

  test('whose first transactions the node lost are all mined once those are sent again', async () => {
    const { key } = await world.createWallet();
    let lost: unknown;
    let isLosing = true;
    const lossy = await world.disturb((call) => {
      if (!isSend(call)) return undefined;
      lost ??= call.params[0];
      return isLosing && call.params[0] === lost ? { result: `0x${'00'.repeat(32)}` } : undefined;
    });
    await world.startRelay({ keys: [key], rpcUrls: [lossy.url] });
    const rows = await world.accept(4);
    const states = await Promise.all(rows.map(({ id }) => world.waitForState(id, 'broadcast')));
    const early = await world.countMints();
    expect(rows.some(({ recipient }) => early.has(recipient))).toBe(false);
    isLosing = false;
    await expectMintedOnce(rows);
    const after = await Promise.all(rows.map(({ id }) => world.readRow(id)));
    expect(after.map(({ hash }) => hash)).toEqual(states.map(({ hash }) => hash));
  });

  test('that were mined without an answer are not sent under another nonce', async () => {
    const { key, address } = await world.createWallet();
    let isDeaf = true;
    const deaf = await world.disturb((call) => (isSend(call) && isDeaf ? 'loseAnswer' : undefined));
    await world.startRelay({ keys: [key], rpcUrls: [deaf.url] });
    const rows = await world.accept(3);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    isDeaf = false;
    world.startIndexing();
    await Promise.all(rows.map(({ id }) => world.waitForState(id, 'mined')));
    await expectMintedOnce(rows);
    expect(await world.client.getTransactionCount({ address })).toBe(3);
  });

  test('are sent again when the node has lost its mempool', async () => {
    const { key } = await world.createWallet();
    await world.client.setAutomine(false);
    let isLosing = false;
    const node = await world.disturb((call) => (isSend(call) && isLosing ? 'loseRequest' : undefined));
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    const rows = await world.accept(3);
    const sent = await Promise.all(rows.map(({ id }) => world.waitForState(id, 'broadcast')));
    isLosing = true;
    for (const { hash } of sent) await world.client.dropTransaction({ hash: hash ?? '0x' });
    expect((await world.client.getTxpoolStatus()).pending).toBe(0);
    isLosing = false;
    await waitUntil('they are back', async () => (await world.client.getTxpoolStatus()).pending === 3);
    await world.client.mine({ blocks: 1 });
    await expectMintedOnce(rows);
    const after = await Promise.all(rows.map(({ id }) => world.readRow(id)));
    expect(after.map(({ hash }) => hash)).toEqual(sent.map(({ hash }) => hash));
  });

  test("are sent again after an earlier nonce whose permit has become final by somebody else's transaction", async () => {
    const { key } = await world.createWallet();
    await world.client.setAutomine(false);
    // The cost of freeing a nonce exceeds this budget.
    await world.startRelay({ keys: [key], settings: { cancelBudget: 21_000n } });
    const rows = await world.accept(2);
    const sent = await Promise.all(rows.map(({ id }) => world.waitForState(id, 'broadcast')));
    const [first, second] = [0, 1].map((nonce) => sent.findIndex((row) => row.nonce === nonce));
    // The projector does the same.
    await world.pool.query(`update service.transactions set state = 'final', tx_hash = $2 where id = $1`, [
      rows[first ?? -1]?.id,
      `0x${'11'.repeat(32)}`,
    ]);
    for (const { hash } of sent) await world.client.dropTransaction({ hash: hash ?? '0x' });
    await waitUntil('they are back', async () => (await world.client.getTxpoolStatus()).pending === 2);
    await world.client.mine({ blocks: 1 });
    await expectMintedOnce(rows.filter((_, at) => at === second));
  });

  test('are sent again when their block falls out of the chain', async () => {
    const { key } = await world.createWallet();
    // A reorg in Anvil also undoes changes that the test made since the block before it.
    await world.client.mine({ blocks: 1 });
    const before = await world.client.getBlockNumber();
    await world.takeOverMining();
    await world.startRelay({ keys: [key] });
    const rows = await world.accept(2);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    await world.indexOnce();
    const mined = await Promise.all(rows.map(({ id }) => world.waitForState(id, 'mined')));
    await world.dropBlocks(Number((await world.client.getBlockNumber()) - before));
    await expectMintedOnce(rows);
    const after = await Promise.all(rows.map(({ id }) => world.readRow(id)));
    expect(after.map(({ hash }) => hash)).toEqual(mined.map(({ hash }) => hash));
  });

  test('and fell out of the chain get another nonce where theirs was taken meanwhile', async () => {
    const { key, address } = await world.createWallet();
    await world.client.mine({ blocks: 1 });
    const before = await world.client.getBlockNumber();
    const relay = await world.startRelay({ keys: [key] });
    const row = await world.acceptOne();
    await world.waitForMints([row.recipient]);
    await world.indexOnce();
    await relay.close();
    await world.dropBlocks(Number((await world.client.getBlockNumber()) - before));
    await sendElsewhere(key, { nonce: 0 });
    await waitUntil('it is mined', async () => (await world.client.getTransactionCount({ address })) === 1);
    // The projector does the same once the index has followed.
    await world.pool.query(`update service.transactions set state = 'broadcast' where id = $1`, [row.id]);

    await world.startRelay({ keys: [key] });
    world.startIndexing();
    await expectMintedOnce([row]);
    expect((await world.readRow(row.id)).attempts.map(({ nonce }) => nonce)).toEqual([0, 1]);
  });
});

test('an input on another chain uses up no permit of the same signer and contract here', async () => {
  await index.deploy();
  const { id, recipient: signer } = await world.acceptOne({ kind: 'input' });
  const isUsedOn = async (chainId: number) => {
    await showUsedPermit(world.pool, { chainId, agreement: world.token, signer });
    return isPermitUsed(world.pool, id);
  };
  expect(await isUsedOn(world.chainId + 1)).toBe(false);
  expect(await isUsedOn(world.chainId)).toBe(true);
  await index.removeViews();
});

describe('a nonce that another transaction of the wallet took', () => {
  test('is given up for the next one, and the call happens once', async () => {
    const { key, address } = await world.createWallet();
    await world.client.setAutomine(false);
    await world.startRelay({ keys: [key] });
    const first = await world.acceptOne();
    await world.waitForState(first.id, 'broadcast');
    const second = await world.acceptOne();
    await world.waitForState(second.id, 'broadcast');
    await sendElsewhere(key, { nonce: 0, gwei: 50n });
    await world.client.mine({ blocks: 1 });
    world.startIndexing();
    const after = await waitUntil('the first row has another nonce', async () => {
      const row = await world.readRow(first.id);
      return row.nonce === 2 && row;
    });
    expect(after.attempts.map(({ nonce }) => nonce)).toEqual([0, 2]);
    await world.client.setAutomine(true);
    await expectMintedOnce([first, second]);
    expect(await world.client.getTransactionCount({ address })).toBe(3);
  });

  test('is believed only once it has its confirmations', async () => {
    const { key } = await world.createWallet();
    await world.client.setAutomine(false);
    const node = await world.disturb(() => undefined);
    await world.startRelay({ keys: [key], confirmations: 3, rpcUrls: [node.url] });
    world.startIndexing();
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'broadcast');
    await sendElsewhere(key, { nonce: 0, gwei: 50n });
    await world.client.mine({ blocks: 2 });
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('it was asked again', () => node.count('eth_getTransactionReceipt') > looks + 3);
    expect((await world.readRow(row.id)).nonce).toBe(0);
    await world.client.mine({ blocks: 1 });
    await waitUntil('it has another nonce', async () => (await world.readRow(row.id)).nonce === 1);
    await world.client.setAutomine(true);
    await expectMintedOnce([row]);
  });

  test('is not given up while the index shows the permit used up, for what that did is the projector’s to say', async () => {
    const { key } = await world.createWallet();
    await world.client.setAutomine(false);
    const node = await world.disturb(() => undefined);
    await index.deploy();
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    world.startIndexing();
    const row = await world.acceptOne({ kind: 'input' });
    await world.waitForState(row.id, 'broadcast');
    await showUsedPermit(world.pool, {
      chainId: world.chainId,
      agreement: world.token,
      signer: row.recipient,
    });
    await sendElsewhere(key, { nonce: 0, gwei: 50n });
    await world.client.mine({ blocks: 1 });
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('it was asked again and again, or given up', async () => {
      const { nonce } = await world.readRow(row.id);
      return nonce !== 0 || node.count('eth_getTransactionReceipt') > looks + 10;
    });
    expect((await world.readRow(row.id)).nonce).toBe(0);
    await index.removeViews();
    await waitUntil('it has another nonce', async () => (await world.readRow(row.id)).nonce === 1);
    await world.client.setAutomine(true);
    await expectMintedOnce([row]);
  });

  test('is not given up while the contract says that the permit is used up, even before the index does', async () => {
    const { key, address } = await world.createWallet();
    await world.client.setAutomine(false);
    const node = await world.disturb(() => undefined);
    const { address: contract } = await world.createWallet();
    /** A contract that answers every call with this number. */
    const answer = (count: number) =>
      world.client.setCode({
        address: contract,
        bytecode: `0x60${toHex(count, { size: 1 }).slice(2)}5f5260205ff3`,
      });
    await answer(0);
    await world.startRelay({ keys: [key], rpcUrls: [node.url] });
    world.startIndexing();
    const row = await world.acceptOne({ to: contract });
    await world.waitForState(row.id, 'broadcast');
    await answer(1);
    await sendElsewhere(key, { nonce: 0, gwei: 50n });
    await world.client.mine({ blocks: 1 });
    expect(await world.client.getTransactionCount({ address })).toBe(1);
    const looks = node.count('eth_getTransactionReceipt');
    await waitUntil('it was asked again and again, or given up', async () => {
      const { nonce } = await world.readRow(row.id);
      return nonce !== 0 || node.count('eth_getTransactionReceipt') > looks + 10;
    });
    expect((await world.readRow(row.id)).nonce).toBe(0);
    await answer(0);
    await waitUntil('it has another nonce', async () => (await world.readRow(row.id)).nonce === 1);
  });

  test('is not believed to be taken because one endpoint of two knows of no receipt', async () => {
    const { key } = await world.createWallet();
    const forgetful = await world.disturb(({ method }) =>
      method === 'eth_getTransactionReceipt' ? { result: null } : undefined,
    );
    await world.startRelay({ keys: [key], rpcUrls: [forgetful.url, world.rpcUrl] });
    const row = await world.acceptOne();
    await world.waitForMints([row.recipient]);
    // The index does not move, so the relay itself asks for receipts repeatedly.
    await waitUntil('it was asked often', () => forgetful.count('eth_getTransactionReceipt') >= 6);
    expect((await world.readRow(row.id)).attempts).toHaveLength(1);
    await expectMintedOnce([row]);
  });
});

describe('the fate of signed bytes', () => {
  /** A node that answers one method in its own way. */
  const connect = async (method?: string, answer?: Disturbance) => {
    const { url } = await world.disturb((call) => (call.method === method ? answer : undefined));
    return createPublicClient({ transport: http(url, { retryCount: 0 }) });
  };
  /** The bytes of a deployment that reverts. */
  const sendReverting = async (key: Hex, nonce: number): Promise<Hex> => {
    const account = privateKeyToAccount(key);
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const { chainId } = world;
    const call = { type: 'eip1559', chainId, nonce, data: '0xfe', gas: 100_000n, ...fees } as const;
    const serializedTransaction = await account.signTransaction(call);
    const hash = await world.client.sendRawTransaction({ serializedTransaction });
    await awaitReceipt(world.client, hash);
    return hash;
  };
  const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;

  test('is lost only if all nodes that answer completely say so, at the given depth', async () => {
    const { key, address: wallet } = await world.createWallet();
    const before = await world.client.getBlockNumber();
    await awaitReceipt(world.client, await sendElsewhere(key, { nonce: 0 }));
    const depthBlock = await world.client.getBlockNumber();
    const honest = await connect();
    const late = await connect('eth_getTransactionCount', { result: '0x0' });
    const noReceipts = await connect('eth_getTransactionReceipt', 'loseRequest');
    const noCounts = await connect('eth_getTransactionCount', 'loseRequest');
    const lost = { id: 'lost', wallet, nonce: 0, hash: hashOf('a') };
    const open = { id: 'open', wallet, nonce: 1, hash: hashOf('b') };
    const newest = { id: 'newest', wallet, nonce: 2, hash: hashOf('c') };

    const attempts = [lost];
    expect(await findFate([honest, noCounts], { attempts, depthBlock })).toEqual({ kind: 'impossible' });
    for (const endpoints of [
      [honest, late],
      [late, honest],
    ])
      expect(await findFate(endpoints, { attempts, depthBlock })).toEqual({
        kind: 'possible',
        attempt: lost,
      });
    expect(await findFate([honest], { attempts, depthBlock: before })).toMatchObject({ kind: 'possible' });
    for (const endpoints of [[], [noCounts], [noReceipts, noCounts]])
      expect(await findFate(endpoints, { attempts, depthBlock })).toEqual({ kind: 'unknown' });
    for (const [all, attempt] of [
      [[lost, open], open],
      [[open, lost], open],
      [[open, newest], newest],
    ] as const)
      expect(await findFate([honest], { attempts: all, depthBlock })).toEqual({ kind: 'possible', attempt });
  });

  test('is that of the receipts that any node has: a success, or else the newest revert', async () => {
    const { key, address: wallet } = await world.createWallet();
    const hashes = [await sendReverting(key, 0), await sendReverting(key, 1)];
    const [first, second] = hashes.map((hash, nonce) => ({ id: hash, wallet, nonce, hash }));
    if (!first || !second) throw new Error('nothing was sent');
    const depthBlock = await world.client.getBlockNumber();
    const late = await connect('eth_getTransactionCount', { result: '0x0' });
    const blind = await connect('eth_getTransactionReceipt', { result: null });
    const read = (all: (typeof first)[], ...endpoints: (typeof late)[]) =>
      findFate(endpoints, { attempts: all, depthBlock });

    expect(await read([first, second], blind, late)).toMatchObject({
      kind: 'reverted',
      receipt: { hash: second.hash, isReverted: true },
    });
    expect(await read([first, second], blind)).toEqual({ kind: 'impossible' });
    const third = await sendElsewhere(key, { nonce: 2 });
    await awaitReceipt(world.client, third);
    const succeeded = { id: third, wallet, nonce: 2, hash: third };
    expect(await read([succeeded, first], blind, late)).toMatchObject({
      kind: 'succeeded',
      receipt: { hash: third, isReverted: false },
    });
  });
});
