import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(async () => {
  await world.reset();
  await world.client.setAutomine(true);
});
afterAll(() => world.close());

const atOnce = 8;

/** The principals of the signed rows, in nonce order. */
async function readOwners(): Promise<string[]> {
  const { rows } = await world.pool.query<{ owner: string }>(
    `select coalesce(principal_id, '') as owner from service.transactions where wallet_nonce is not null order by wallet_nonce`,
  );
  return rows.map(({ owner }) => owner);
}

test('a principal with thousands of open rows delays nobody', async () => {
  const { key } = await world.createWallet();
  await world.accept(3_000, { principalId: 'busy' });
  const late = await world.acceptOne({ principalId: 'late' });
  const unknown = await world.acceptOne();
  await world.client.setAutomine(false);
  await world.startRelay({ keys: [key], settings: { maxInFlight: atOnce } });
  for (const { id } of [late, unknown]) {
    const { nonce } = await world.waitForNode(id);
    expect(nonce).toBeLessThan(atOnce);
  }
});

test('each of more principals than one batch holds has its turn before anybody has three', async () => {
  const { key } = await world.createWallet();
  const owners = Array.from({ length: 3 * atOnce }, (_, at) => `principal ${String(at).padStart(2, '0')}`);
  for (const principalId of owners) await world.accept(10, { principalId });
  await world.startRelay({ keys: [key], settings: { maxInFlight: atOnce } });
  const first = 2 * owners.length;
  await waitUntil('enough are signed', async () => (await readOwners()).length >= first);
  expect(new Set((await readOwners()).slice(0, first))).toEqual(new Set(owners));
});

test('rows that cannot move do not keep later ones of the same principal waiting', async () => {
  const { key } = await world.createWallet();
  const { timestamp } = await world.client.getBlock();
  await world.accept(400, { principalId: 'one', deadline: timestamp - 1n });
  const good = await world.acceptOne({ principalId: 'one' });
  await world.startRelay({ keys: [key] });
  await world.waitForNode(good.id);
  expect(await readOwners()).toEqual(['one']);
});

test.each([
  ['thousands of', 3_000],
  ['some', 12],
])('an input does not wait for %s other rows of the principal with the input before it', async (_, count) => {
  const { key } = await world.createWallet();
  await world.accept(count, { principalId: 'busy' });
  const earlier = await world.acceptOne({ kind: 'input', principalId: 'busy' });
  const late = await world.acceptOne({ kind: 'input', principalId: 'late' });
  await world.client.setAutomine(false);
  await world.startRelay({ keys: [key], settings: { maxInFlight: atOnce } });
  const [first, second] = [await world.waitForNode(earlier.id), await world.waitForNode(late.id)];
  expect(second.nonce).toBeGreaterThan(first.nonce ?? atOnce);
  expect(second.nonce).toBeLessThan(atOnce);
});

test('an input behind many of another principal does not keep other rows of its own principal waiting', async () => {
  const { key } = await world.createWallet();
  await world.accept(200, { kind: 'input', principalId: 'busy' });
  await world.acceptOne({ kind: 'input', principalId: 'late' });
  const other = await world.acceptOne({ principalId: 'late' });
  await world.client.setAutomine(false);
  await world.startRelay({ keys: [key], settings: { maxInFlight: atOnce } });
  expect((await world.waitForNode(other.id)).nonce).toBeLessThan(atOnce);
});
