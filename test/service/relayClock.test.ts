import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';

const skew = 120n;
const now = () => BigInt(Math.floor(Date.now() / 1_000));

/** Stores two permits with different deadlines, in seconds from now by the service's clock. */
async function acceptTwo(world: RelayWorld, { early, late }: { early: bigint; late: bigint }) {
  const expired = await world.acceptOne({ deadline: now() + early });
  const good = await world.acceptOne({ deadline: now() + late });
  return { expired, good };
}

async function expectOnlyGood(
  world: RelayWorld,
  { expired, good }: Awaited<ReturnType<typeof acceptTwo>>,
): Promise<void> {
  await world.startRelay({ keys: await world.createWallets(1) });
  await world.waitForMints([good.recipient]);
  // The expired permit does not hold up later rows, and nothing was spent on it.
  const later = await world.acceptOne({ deadline: now() + 3_600n });
  await world.waitForMints([later.recipient]);
  expect(await world.readRow(expired.id)).toMatchObject({ state: 'accepted', attempts: [] });
  expect((await world.readRow(later.id)).nonce).toBe(1);
}

describe('a chain whose clock is two minutes ahead', () => {
  let world: RelayWorld;
  beforeAll(async () => {
    world = await createRelayWorld();
    await world.client.increaseTime({ seconds: Number(skew) });
    await world.client.mine({ blocks: 1 });
  });
  afterAll(() => world.close());

  test('is not sent a permit that has expired there, and takes one that has not', async () => {
    const rows = await acceptTwo(world, { early: 60n, late: skew + 3_600n });
    expect((await world.client.getBlock()).timestamp).toBeGreaterThan(now() + 60n);
    await expectOnlyGood(world, rows);
    await world.indexOnce();
    expect((await world.readRow(rows.expired.id)).failure?.reason).toBe('permit_expired');
  });
});

describe('a chain whose clock is ten minutes behind that of the worker', () => {
  let world: RelayWorld;
  beforeAll(async () => {
    world = await createRelayWorld({ anvilArguments: ['--timestamp', String(now() - 600n)] });
  });
  afterAll(() => world.close());

  test('takes a permit of five minutes: its own clock decides, and not that of the worker', async () => {
    const { timestamp } = await world.client.getBlock();
    expect(timestamp + 300n).toBeLessThan(now());
    const row = await world.acceptOne({ deadline: timestamp + 300n });
    const late = await world.acceptOne({ deadline: timestamp - 1n });
    await world.startRelay({ keys: await world.createWallets(1) });
    await world.waitForMints([row.recipient]);
    expect(await world.readRow(late.id)).toMatchObject({ state: 'accepted', attempts: [] });
    await world.indexOnce();
    expect((await world.readRow(late.id)).failure?.reason).toBe('permit_expired');
  });
});
