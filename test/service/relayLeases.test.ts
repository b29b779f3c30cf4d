import { type Address, parseEther } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { renewLeases } from '../../src/worker/relay/walletRows.ts';
import { heldTogether } from '../support/heldTogether.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  // Linea. Anvil does not offer Linea's own estimates.
  world = await createRelayWorld({ chainId: 59_141 });
});
afterEach(() => world.reset());
afterAll(() => world.close());

async function awaitOwner(
  address: Address,
  isOwner: (owner: string | null) => boolean,
): Promise<string | null> {
  const wallet = await waitUntil('the wallet has that owner', async () => {
    const found = await world.readWallet(address);
    return found && isOwner(found.lease_owner) && found;
  });
  return wallet.lease_owner;
}

test('two relays on one database share the wallets and send everything once', async () => {
  const keys = await world.createWallets(3);
  const addresses = keys.map((key) => privateKeyToAddress(key));
  await Promise.all([world.startRelay({ keys }), world.startRelay({ keys })]);
  const countSent = () =>
    Promise.all(addresses.map((address) => world.client.getTransactionCount({ address })));
  const rows = (await Promise.all(Array.from({ length: 12 }, () => world.accept(5)))).flat();
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  // One wallet may have been fast enough to send everything.
  await waitUntil('every wallet sends', async () => {
    if ((await countSent()).every((count) => count > 0)) return true;
    const more = (await Promise.all(Array.from({ length: 4 }, () => world.accept(5)))).flat();
    await world.waitForMints(more.map(({ recipient }) => recipient));
    rows.push(...more);
    return false;
  });
  const counts = await world.countMints();
  expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
  expect((await countSent()).reduce((sum, count) => sum + count)).toBe(rows.length);
});

test('a relay that is closed hands its wallets over at once', async () => {
  const { key, address } = await world.createWallet();
  const first = await world.startRelay({ keys: [key], settings: { leaseMs: 3_000 } });
  const owner = await awaitOwner(address, (name) => name !== null);
  // Without the handover the second relay would look again only after minutes.
  await world.startRelay({ keys: [key], settings: { leaseMs: 600_000 } });
  await first.close();
  await awaitOwner(address, (name) => name !== null && name !== owner);
  const row = await world.acceptOne();
  await world.waitForMints([row.recipient]);
});

test('of two relays that find a lease expired at the same moment one takes it', async () => {
  const { address } = await world.createWallet();
  const { pool, chainId } = world;
  await pool.query(
    `insert into service.relayer_wallets (chain_id, address, status, balance, next_nonce) values ($1, $2, 'active', 1, 0)`,
    [chainId, address],
  );
  const takenBy = await heldTogether(pool, {
    lock: ['select 1 from service.relayer_wallets where address = $1 for update', [address]],
    calls: ['one', 'another'].map(
      (owner) => () => renewLeases(pool, [address], { chainId, owner, leaseMs: 60_000 }),
    ),
  });
  expect(takenBy.map(({ length }) => length).toSorted()).toEqual([0, 1]);
});

test('a relay that has lost the lease signs nothing until it is its own again', async () => {
  const { key, address } = await world.createWallet();
  await world.startRelay({ keys: [key], settings: { leaseMs: 600 } });
  await awaitOwner(address, (name) => name !== null);
  await world.pool.query(
    `update service.relayer_wallets set lease_owner = 'another', lease_until = now() + interval '1.5 s' where address = $1`,
    [address],
  );
  const row = await world.acceptOne();
  // Reads both values at one moment, by the database's clock.
  const query = `select row.state, wallet.lease_owner is distinct from 'another' or wallet.lease_until < clock_timestamp() as is_over
    from service.relayer_wallets wallet, service.transactions row where wallet.address = $1 and row.id = $2`;
  await waitUntil('the other lease is over', async () => {
    const { rows } = await world.pool.query<{ state: string; is_over: boolean }>(query, [address, row.id]);
    if (rows[0]?.is_over === false) expect(rows[0].state).toBe('accepted');
    return rows[0]?.is_over === true;
  });
  await world.waitForMints([row.recipient]);
});

test('a wallet that a process without its key has retired and holds is put back into service', async () => {
  const { key, address } = await world.createWallet();
  await world.startRelay({ keys: [key], settings: { leaseMs: 600 } });
  await awaitOwner(address, (name) => name !== null);
  await world.pool.query(
    `update service.relayer_wallets set status = 'retired', lease_owner = 'another', lease_until = now() + interval '5 minutes'
    where address = $1`,
    [address],
  );
  await waitUntil('it is not retired', async () => (await world.readWallet(address))?.status === 'unfunded');
  expect((await world.readWallet(address))?.lease_owner).toBe('another');
});

test("a wallet's signed rows are followed to their end when its key is gone, and it retires", async () => {
  const old = await world.createWallet();
  const current = await world.createWallet();
  const silent = await world.disturb(({ method }) =>
    method === 'eth_sendRawTransaction' ? 'loseRequest' : undefined,
  );
  const first = await world.startRelay({ keys: [old.key], rpcUrls: [silent.url] });
  const signed = await world.accept(2);
  await world.waitForAll(
    signed.map(({ id }) => id),
    'signed',
  );
  await first.close();

  await world.startRelay({ keys: [current.key] });
  const row = await world.acceptOne();
  await world.waitForMints([...signed, row].map(({ recipient }) => recipient));
  expect((await world.readWallet(old.address))?.status).toBe('retired');
  expect((await world.readRow(row.id)).wallet).toBe(current.address);
  await world.indexOnce();
  await waitUntil('nobody holds it', async () => (await world.readWallet(old.address))?.lease_owner === null);
  await world.client.setBalance({ address: old.address, value: parseEther('1') });
  expect((await world.readWallet(old.address))?.status).toBe('retired');
});

test('a relay that loses every connection to the database goes on with new ones', async () => {
  const { key, address } = await world.createWallet();
  await world.startRelay({ keys: [key] });
  await awaitOwner(address, (name) => name !== null);
  const first = await world.acceptOne();
  await world.waitForMints([first.recipient]);
  await world.pool
    .query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()')
    .catch(() => undefined);
  const second = await waitUntil('the database is there again', () =>
    world.acceptOne().catch(() => undefined),
  );
  await world.waitForMints([second.recipient]);
});

test('a relay whose node is down at its start sends once that is up', async () => {
  const { key } = await world.createWallet();
  let isDown = true;
  const node = await world.disturb(() => (isDown ? 'loseRequest' : undefined));
  await world.startRelay({ keys: [key], rpcUrls: [node.url] });
  const row = await world.acceptOne();
  await waitUntil('it was asked', () => node.count('eth_getBlockByNumber') >= 2);
  expect((await world.readRow(row.id)).state).toBe('accepted');
  isDown = false;
  await world.waitForMints([row.recipient]);
});
