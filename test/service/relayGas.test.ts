import { type Address, type Hex, numberToHex, size, toFunctionSelector } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { boundGas } from '../../src/records/gas/learnedGas.ts';
import { callsBehind, unknownBlock } from '../support/callsBehind.ts';
import type { Disturbance, RpcCall } from '../support/relayNode.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createStandInIndex } from './projector/support/standInIndex.ts';
import { createPermitWorld, type PermitRow, type PermitWorld } from './support/permitWorld.ts';
import { showUsedPermit } from './support/usedPermit.ts';

let world: RelayWorld;
let permits: PermitWorld;
beforeAll(async () => {
  world = await createRelayWorld();
  permits = await createPermitWorld(world);
});
afterEach(() => world.reset());
afterAll(() => world.close());

async function readBound(kind: string) {
  const { rows } = await world.pool.query<{ execution_gas: string; receipts: number }>(
    'select execution_gas, receipts from service.gas_bounds where chain_id = $1 and kind = $2',
    [world.chainId, kind],
  );
  const [row] = rows;
  return row && { executionGas: BigInt(row.execution_gas), receipts: row.receipts };
}

async function countAttempts(id: string): Promise<number> {
  const query = 'select 1 from service.transaction_attempts where transaction_id = $1';
  return (await world.pool.query(query, [id])).rowCount ?? 0;
}

test('the first input of a kind is estimated, and its gas is stored and compared with its receipt', async () => {
  const keys = await world.createWallets(1);
  const agreement = await permits.deploy();
  const stopIndexing = permits.startIndexing(agreement);
  await world.startRelay({ keys });
  const account = permits.createAccount();
  const row = await permits.accept({ agreement, account, nonce: 0, gasEstimate: null, gasKind: 'stay' });
  const { hash } = await world.waitForState(row.id, 'mined');
  await waitUntil('it is compared', async () => (await readBound('stay'))?.receipts === 1);
  const { gasUsed } = await world.client.getTransactionReceipt({ hash: hash ?? '0x' });
  const bound = await readBound('stay');
  expect(bound?.executionGas).toBeGreaterThan(gasUsed - 60_000n);
  expect(bound?.executionGas).toBeLessThan(gasUsed * 2n);
  await stopIndexing();
});

test('a transaction that runs out of gas is estimated and sent again with the same permit, and the lesson is kept', async () => {
  const keys = await world.createWallets(1);
  const agreement = await permits.deploy();
  const stopIndexing = permits.startIndexing(agreement);
  await world.startRelay({ keys });
  const account = permits.createAccount();
  const row = await permits.accept({ agreement, account, nonce: 0, gasEstimate: 40_000n, gasKind: 'little' });
  await world.waitForState(row.id, 'mined');
  expect(await permits.countPermits(agreement, account.address)).toBe(1n);
  expect(await countAttempts(row.id)).toBe(2);
  expect((await readBound('little'))?.executionGas).toBeGreaterThan(20_000n);
  await stopIndexing();
});

test('gas that is learned from a later permit of one signer is enough for the first permit of another', async () => {
  const keys = await world.createWallets(1);
  const agreement = await permits.deploy();
  const stopIndexing = permits.startIndexing(agreement);
  await world.startRelay({ keys });
  const known = permits.createAccount();
  const [first] = await permits.acceptRow(agreement, { account: known, count: 1 });
  await world.waitForState(first?.id ?? '', 'mined');
  const later = await permits.accept({
    agreement,
    account: known,
    nonce: 1,
    gasEstimate: null,
    gasKind: 'warm',
  });
  await world.waitForState(later.id, 'mined');
  await stopIndexing();
  const learned = await readBound('warm');
  const next = await permits.accept({ agreement, account: permits.createAccount(), nonce: 0 });
  const { hash } = await world.waitForNode(next.id);
  const { gasUsed } = await awaitReceipt(world.client, hash ?? '0x');
  const { input: callData } = await world.client.getTransaction({ hash: hash ?? '0x' });
  const bound = { executionGas: learned?.executionGas ?? 0n, callBytes: size(callData) };
  expect(boundGas(bound, { callData, storedFields: 0 })).toBeGreaterThanOrEqual(gasUsed);
});

test('a row that the contract refuses in its turn fails, with its reason, and nothing is paid for it', async () => {
  const keys = await world.createWallets(1);
  const agreement = await permits.deploy();
  await world.startRelay({ keys });
  const account = permits.createAccount();
  const row = await permits.accept({ agreement, account, nonce: 0, inputId: 'pong', gasEstimate: null });
  const stopIndexing = permits.startIndexing(agreement);
  await waitUntil('it fails', async () => {
    await world.client.mine({ blocks: 1 });
    return (await world.readRow(row.id)).state === 'failed';
  });
  expect((await world.readRow(row.id)).failure).toMatchObject({ reason: 'state_not_accepting' });
  expect(await countAttempts(row.id)).toBe(0);
  await stopIndexing();
});

describe('a row that the contract refuses in its turn at the folded block', () => {
  /** Accepts such a row, and expects that it waits until its permit is unused again, and fails then. */
  const expectToWait = async (
    uses: (row: PermitRow & { agreement: Address }) => Promise<() => Promise<void>>,
    disturb: (call: RpcCall) => Disturbance | undefined,
  ) => {
    const keys = await world.createWallets(1);
    const agreement = await permits.deploy();
    const account = permits.createAccount();
    const node = await world.disturb(disturb);
    const row = await permits.accept({ agreement, account, nonce: 0, inputId: 'pong', gasEstimate: null });
    const release = await uses({ ...row, agreement });
    await world.startRelay({ keys, rpcUrls: [node.url] });
    const stopIndexing = permits.startIndexing(agreement);
    await waitUntil('it was estimated again and again, or has failed', async () => {
      await world.client.mine({ blocks: 1 });
      return (await world.readRow(row.id)).state === 'failed' || node.count('eth_estimateGas') > 5;
    });
    expect((await world.readRow(row.id)).state).toBe('accepted');
    await release();
    await waitUntil('it fails', async () => {
      await world.client.mine({ blocks: 1 });
      return (await world.readRow(row.id)).state === 'failed';
    });
    await stopIndexing();
  };

  test('does not fail while the index shows its permit used up', async () => {
    const index = createStandInIndex({ pool: world.pool, factory: world.token });
    await index.deploy();
    const use = async ({ agreement, account }: PermitRow & { agreement: Address }) => {
      await showUsedPermit(world.pool, { chainId: world.chainId, agreement, signer: account.address });
      return () => index.removeViews();
    };
    await expectToWait(use, () => undefined);
  });

  test('does not fail while a newer block has its permit used up', async () => {
    let isUsed = true;
    const nonces = toFunctionSelector('nonces(address)');
    const asks = z.tuple([z.object({ data: z.string().startsWith(nonces) }), z.literal('latest')]);
    const use = async () => async () => {
      isUsed = false;
    };
    await expectToWait(use, ({ method, params }) =>
      isUsed && method === 'eth_call' && asks.safeParse(params).success
        ? { result: numberToHex(1, { size: 32 }) }
        : undefined,
    );
  });
});

describe('a row that a node refuses because it lacks the indexed block of the row before it', () => {
  test.each([
    ['does not have that block', unknownBlock],
    ['is one of several behind one address', undefined],
  ])('is sent once the node has caught up, if the node %s', async (_, named) => {
    const keys = await world.createWallets(1);
    const agreement = await permits.deploy();
    const stopIndexing = permits.startIndexing(agreement);
    let behindAt: Hex | undefined;
    const node = await world.disturb((call) => {
      if (behindAt === undefined) return undefined;
      return call.method === 'eth_blockNumber' ? { result: behindAt } : callsBehind(call, behindAt, named);
    });
    await world.startRelay({ keys, rpcUrls: [node.url] });
    const first = { agreement, account: permits.createAccount(), nonce: 0, inputId: 'ping' } as const;
    await world.waitForState((await permits.accept(first)).id, 'mined');
    behindAt = numberToHex((await world.client.getBlockNumber()) - 1n);
    const estimates = node.count('eth_estimateGas');
    const account = permits.createAccount();
    const row = await permits.accept({ agreement, account, nonce: 0, inputId: 'pong', gasEstimate: null });
    await waitUntil('it was estimated twice', () => node.count('eth_estimateGas') >= estimates + 2);
    expect((await world.readRow(row.id)).state).toBe('accepted');
    behindAt = undefined;
    await world.waitForState(row.id, 'mined');
    await stopIndexing();
  });
});
