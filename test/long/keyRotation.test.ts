import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { type Program, startProgram } from '../e2e/support/program.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

type Worker = { program: Program; port: number };

/** Starts up to eight workers one after the other: half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

let world: RelayWorld;
const programs: Program[] = [];
beforeAll(async () => {
  world = await createRelayWorld();
});
afterAll(async () => {
  for (const program of programs) if (!program.hasEnded()) program.signal('SIGKILL');
  await Promise.all(programs.map(({ exited }) => exited));
  await world?.close();
});

/** A worker as operators start it. Returns once the worker has logged that it started. */
async function startWorker(keys: readonly Hex[]): Promise<Worker> {
  const port = await findFreePort();
  const program = startProgram('worker', {
    env: {
      CHAINS: String(world.chainId),
      DATABASE_URL: world.databaseUrl,
      [`RPC_URL_${world.chainId}`]: world.rpcUrl,
      RELAYER_PRIVATE_KEYS: keys.join(','),
      RELAYER_POLL_MS: '100',
      RELAYER_LEASE_MS: '1500',
      RELAYER_RESEND_SECONDS: '1',
      WORKER_INTERNAL_PORT: String(port),
    },
  });
  programs.push(program);
  await waitUntil('the worker has started', () => {
    if (program.hasEnded()) throw new Error(program.lines.join('\n'));
    return program.lines.some((line) => line.includes('"msg":"started"'));
  });
  return { program, port };
}

async function stop({ program }: Worker): Promise<void> {
  program.signal('SIGTERM');
  expect(await program.exited).toEqual({ code: 0, signal: null });
}

const readyShape = z.object({
  chains: z.array(
    z.object({ wallets: z.array(z.object({ address: z.string(), status: z.string(), underWay: z.int() })) }),
  ),
});
async function readWallets({ port }: Worker) {
  const { chains } = readyShape.parse(await (await fetch(`http://127.0.0.1:${port}/ready`)).json());
  return new Map(chains.flatMap(({ wallets }) => wallets).map((wallet) => [wallet.address, wallet]));
}

test('a key takes the place of another in a running service, and nothing is lost or sent twice', async () => {
  const [oldKey = '0x', newKey = '0x'] = await world.createWallets(2);
  const [old, current] = [oldKey, newKey].map((key) => privateKeyToAddress(key)) as [Address, Address];
  const rows: { id: string; recipient: Address }[] = [];
  const acceptAndAwait = async (count: number) => {
    const accepted = await world.accept(count);
    rows.push(...accepted);
    await world.waitForMints(accepted.map(({ recipient }) => recipient));
    return accepted;
  };
  world.startIndexing();

  let [one, other] = await Promise.all([startWorker([oldKey]), startWorker([oldKey])]);
  await acceptAndAwait(5);

  // First add the new key, one worker after the other.
  for (const replace of ['one', 'other'] as const) {
    const next = await startWorker([oldKey, newKey]);
    rows.push(...(await world.accept(5)));
    await stop(replace === 'one' ? one : other);
    if (replace === 'one') one = next;
    else other = next;
    await acceptAndAwait(5);
  }
  await waitUntil('both wallets send', async () => {
    await acceptAndAwait(4);
    return (await world.readWallet(current))?.status === 'active';
  });

  // Then remove the old key while its transactions wait to be mined.
  await world.client.setAutomine(false);
  const waiting: typeof rows = [];
  const listHashes = async (wallet: Address) => {
    const states = await Promise.all(waiting.map(({ id }) => world.readRow(id)));
    return states.flatMap((row) => (row.wallet === wallet && row.hash ? [row.hash] : []));
  };
  await waitUntil('both wallets have transactions under way', async () => {
    waiting.push(...(await world.accept(2)));
    return (await listHashes(old)).length > 2 && (await listHashes(current)).length > 0;
  });
  rows.push(...waiting);
  const first = await startWorker([newKey]);
  await stop(one);
  const second = await startWorker([newKey]);
  other.program.signal('SIGKILL');
  await other.program.exited;
  // The nodes forget the old key's transactions too, so a worker must resend them without the key.
  for (const hash of await listHashes(old)) await world.client.dropTransaction({ hash });
  const late = await world.accept(5);
  rows.push(...late);
  await waitUntil('the old wallet is retired, and its transactions are told', async () => {
    const wallet = (await readWallets(first)).get(old);
    return wallet?.status === 'retired' && wallet.underWay > 0;
  });
  await world.client.setAutomine(true);
  await world.client.mine({ blocks: 1 });
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  await waitUntil(
    'nothing of the old wallet is under way',
    async () => (await readWallets(second)).get(old)?.underWay === 0,
  );
  await waitUntil('nobody holds it', async () => (await world.readWallet(old))?.lease_owner === null);

  await acceptAndAwait(5);
  const counts = await world.countMints();
  expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
  for (const { id } of late) expect((await world.readRow(id)).wallet).toBe(current);
  expect(await world.readFillers(old)).toEqual([]);
  expect((await readWallets(first)).get(old)?.status).toBe('retired');
  await Promise.all([stop(first), stop(second)]);
});

test('a wallet that was retired is in service again with its key, also while another sees it through', async () => {
  await world.reset();
  const [oldKey = '0x', newKey = '0x'] = await world.createWallets(2);
  const old = privateKeyToAddress(oldKey);
  world.startIndexing();
  await world.client.setAutomine(false);
  const before = await startWorker([oldKey]);
  const row = await world.acceptOne();
  await world.waitForState(row.id, 'broadcast');
  await stop(before);
  const without = await startWorker([newKey]);
  await waitUntil('it is seen through', async () => {
    const wallet = await world.readWallet(old);
    return wallet?.status === 'retired' && wallet.lease_owner !== null;
  });
  const withKey = await startWorker([oldKey, newKey]);
  await waitUntil('its key is used', async () => (await world.readWallet(old))?.status === 'active');
  await waitUntil('it is told', async () => (await readWallets(without)).get(old)?.status === 'active');
  await world.client.setAutomine(true);
  await world.client.mine({ blocks: 1 });
  await world.waitForMints([row.recipient]);
  await Promise.all([stop(without), stop(withKey)]);
});
