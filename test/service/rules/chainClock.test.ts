import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Anvil, startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { readChainClock } from '../../../src/worker/notifier/readChainClock.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { chainId, createFixture, type Fixture } from '../projector/support/setup.ts';

let fixture: Fixture;
let anvil: Anvil | undefined;
beforeAll(async () => {
  fixture = await createFixture();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await anvil?.stop();
  await fixture.pool.query('delete from service.projections');
});
afterAll(() => fixture.close());

const idleMs = 15_000;
const headAge = 40;

/** A chain of folded blocks, of which the last one is 40 seconds old, and a moment 20 seconds after it. */
async function foldChain({ blocks, interval }: { blocks: number; interval: number }) {
  const genesis = Math.floor(Date.now() / 1_000) - headAge - blocks * interval;
  anvil = await startAnvil({ chainId, extraArgs: ['--timestamp', String(genesis)] });
  const client = createAnvilClient(anvil.rpcUrl);
  await client.setNextBlockTimestamp({ timestamp: BigInt(genesis + interval) });
  await client.mine({ blocks, interval });
  const { number, hash, timestamp } = await client.getBlock();
  await fixture.pool.query(
    `insert into service.projections (chain_id, head_number, head_hash, head_timestamp, compared_through, folded_through)
    values ($1, $2, $3, to_timestamp($4), $2, $2)`,
    [chainId, String(number), hash, String(timestamp)],
  );
  const headMs = Number(timestamp) * 1_000;
  const read = (wantedMs: number) =>
    readChainClock(fixture.database, { chain: { chainId, confirmations: 1 }, client, idleMs, wantedMs });
  return { headMs, wantedMs: headMs + 20_000, read };
}

test('a chain that makes blocks now and then goes by the clock while it stands still', async () => {
  const { wantedMs, read } = await foldChain({ blocks: 1_010, interval: 30 });
  const clock = await read(wantedMs);
  expect(clock?.nowMs).toBeGreaterThanOrEqual(wantedMs);
});

test('a chain whose blocks come steadily waits for the next block, however long a node shows none', async () => {
  const { headMs, wantedMs, read } = await foldChain({ blocks: 1_010, interval: 2 });
  expect(await read(wantedMs)).toMatchObject({ nowMs: 0 });
  expect(await read(headMs)).toMatchObject({ nowMs: headMs });
});

test('a clock that is ahead makes nothing due', async () => {
  const { headMs, read } = await foldChain({ blocks: 3, interval: 30 });
  const wantedMs = headMs + 60_000;
  expect(await read(wantedMs)).toMatchObject({ nowMs: 0 });
  const ahead = Date.now() + 120_000;
  vi.spyOn(Date, 'now').mockReturnValue(ahead);
  expect(await read(wantedMs)).toMatchObject({ nowMs: 0 });
});
