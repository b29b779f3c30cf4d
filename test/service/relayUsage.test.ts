import { randomBytes } from 'node:crypto';
import { type Address, encodeFunctionData, getAddress, type Hex, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { defaultQuotas } from '../../src/records/quotas/quotas.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld();
});
afterEach(() => world.reset());
afterAll(() => world.close());

/** Contracts whose calls succeed without a gas price, as estimates run, and otherwise burn all gas, or revert. */
const burnsIfPaid = '0x3a15600657fe5b00';
const revertsIfPaid = '0x3a15600a5760006000fd5b00';
/** Succeeds after 20,000 rounds of a loop. */
const worksLong = '0x614e205b60019003806003575000';
const fails = encodeFunctionData({ abi: testTokenAbi, functionName: 'failWithReason', args: ['no'] });

async function createPrincipal(): Promise<string> {
  const id = `prn_${randomBytes(8).toString('hex')}`;
  await world.pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  return id;
}

async function useUpGas(principalId: string): Promise<void> {
  await world.pool.query(
    `insert into service.principal_quotas (principal_id, quota, value) values ($1, 'gasPerDay', 60000)`,
    [principalId],
  );
  await world.pool.query(
    `insert into service.usage_days (principal_id, day, gas) values ($1, (now() at time zone 'utc')::date, 60000),
       ($1, (now() at time zone 'utc')::date + 1, 60000)`,
    [principalId],
  );
}

/** A record with the principal's id. */
async function insertRecord(principalId: string): Promise<void> {
  await world.pool.query(
    `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
       participants, observers, contributors, initial_variables, variables)
     values ($1, $1, $2, 'Draft', '', '{}', '0x', '', '', '[]', '[]', '[]', '{}', '{}')`,
    [principalId, world.chainId],
  );
}

/** Stores an input of the row, as for another principal that has sent the same permit. */
async function share(
  id: string,
  principalId: string,
  status: 'PENDING' | 'FAILED' = 'PENDING',
): Promise<void> {
  const { pool, chainId, token } = world;
  await insertRecord(principalId);
  await pool.query(
    `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, user_id, payload, values, transaction_id)
     values ($1, $1, $2, $3, 'act', $5, $1, '0x', '{}', $4)`,
    [principalId, chainId, token, id, status],
  );
}

async function readCountedGas(principalId: string): Promise<bigint> {
  const { rows } = await world.pool.query<{ gas: string }>(
    'select coalesce(sum(gas), 0) as gas from service.usage_days where principal_id = $1',
    [principalId],
  );
  return BigInt(rows[0]?.gas ?? 0);
}

/** The gas that the chain has charged for everything signed for a row, and the gas limits of all of it. */
async function readPaid(id: string): Promise<{ gasUsed: bigint; limits: bigint[] }> {
  const { attempts } = await world.readRow(id);
  const mined = await Promise.all(
    attempts.map(async ({ hash }) => {
      const { gasUsed } = await world.client.getTransactionReceipt({ hash });
      const { gas } = await world.client.getTransaction({ hash });
      return { gasUsed, gas };
    }),
  );
  return {
    gasUsed: mined.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    limits: mined.map(({ gas }) => gas),
  };
}

async function place(bytecode: Hex): Promise<Address> {
  const address = getAddress(toHex(randomBytes(20)));
  await world.client.setCode({ address, bytecode });
  return address;
}

test('gas that was not estimated at acceptance counts once the transaction is signed', async () => {
  const { key } = await world.createWallet();
  const principalId = await createPrincipal();
  await world.startRelay({ keys: [key] });
  const { id } = await world.acceptOne({ gasEstimate: null, principalId });
  world.startIndexing();
  await world.waitForState(id, 'mined');
  const { gasUsed, limits } = await readPaid(id);
  await waitUntil('it counts', async () => (await readCountedGas(principalId)) > 0n);
  expect(await readCountedGas(principalId)).toBe(limits[0]);
  expect(limits[0]).toBeGreaterThanOrEqual(gasUsed);
});

test('gas that was counted at acceptance does not count again', async () => {
  const { key } = await world.createWallet();
  const principalId = await createPrincipal();
  await world.startRelay({ keys: [key] });
  const { id } = await world.acceptOne({ principalId });
  const unknown = await world.acceptOne({ principalId, gasEstimate: null });
  world.startIndexing();
  await world.waitForAll([id, unknown.id], 'mined');
  const { limits } = await readPaid(unknown.id);
  await waitUntil('the other one counts', async () => (await readCountedGas(principalId)) > 0n);
  expect(await readCountedGas(principalId)).toBe(limits[0]);
});

test('a transaction that reverts counts with the gas that it used beyond its estimate', async () => {
  const { key } = await world.createWallet();
  const principalId = await createPrincipal();
  await world.startRelay({ keys: [key] });
  const { id } = await world.acceptOne({ data: fails, gasEstimate: 20_000n, principalId });
  world.startIndexing();
  await world.waitForState(id, 'failed');
  const { gasUsed } = await readPaid(id);
  await waitUntil('it counts', async () => (await readCountedGas(principalId)) > 0n);
  expect(await readCountedGas(principalId)).toBe(gasUsed - 20_000n);
});

test('gas that a transaction is estimated to need after a revert counts, also once it succeeds', async () => {
  const { key } = await world.createWallet();
  const principalId = await createPrincipal();
  const to = await place(revertsIfPaid);
  let estimates = 0;
  const node = await world.disturb(async ({ method }) => {
    if (method === 'eth_estimateGas' && ++estimates === 2)
      await world.client.setCode({ address: to, bytecode: worksLong });
    return undefined;
  });
  await world.startRelay({ keys: [key], rpcUrls: [node.url] });
  const { id } = await world.acceptOne({ to, gasEstimate: 60_000n, principalId });
  world.startIndexing();
  await waitUntil('it is mined again', async () => {
    const { attempts } = await world.readRow(id);
    const hashes = attempts.slice(1).map(({ hash }) => world.client.getTransactionReceipt({ hash }));
    return (await Promise.allSettled(hashes)).some(({ status }) => status === 'fulfilled');
  });
  const { gasUsed } = await readPaid(id);
  expect(gasUsed).toBeGreaterThan(500_000n);
  const isCounted = async () => 60_000n + (await readCountedGas(principalId)) >= gasUsed;
  await waitUntil('all of it counts', isCounted);
});

test('a call that would succeed in every estimate fails after four reverts, all of which count', async () => {
  const { key } = await world.createWallet();
  const principalId = await createPrincipal();
  await world.startRelay({ keys: [key] });
  const gasEstimate = 60_000n;
  const { id } = await world.acceptOne({ to: await place(burnsIfPaid), gasEstimate, principalId });
  world.startIndexing();
  const { failure, attempts } = await world.waitForState(id, 'failed');
  expect(failure).toMatchObject({
    reason: 'action_reverted',
    message: 'The transaction reverted 4 times. The same call would now succeed.',
  });
  expect(attempts.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3]);
  const { gasUsed } = await readPaid(id);
  const isCounted = async () => gasEstimate + (await readCountedGas(principalId)) >= gasUsed;
  await waitUntil('all of it counts', isCounted);
});

test('a call that would succeed in every estimate is paid for once if the gas quota of its principal is used up', async () => {
  const { key } = await world.createWallet();
  const principalId = await createPrincipal();
  await useUpGas(principalId);
  await world.startRelay({ keys: [key] });
  const { id } = await world.acceptOne({ to: await place(burnsIfPaid), gasEstimate: 60_000n, principalId });
  world.startIndexing();
  const { failure, attempts } = await world.waitForState(id, 'failed');
  expect(failure).toMatchObject({
    reason: 'action_reverted',
    message: `The transaction reverted, and no quota is left for another attempt. The same call would now succeed.`,
  });
  expect(attempts).toHaveLength(1);
});

test('a used-up gas quota of one sender of a permit ends no other sender’s, which pays for the repetitions', async () => {
  const { key } = await world.createWallet();
  const [first, second] = [await createPrincipal(), await createPrincipal()];
  await useUpGas(first);
  const { id } = await world.acceptOne({ to: await place(burnsIfPaid), principalId: first });
  await share(id, second);
  await world.startRelay({ keys: [key] });
  world.startIndexing();
  const { failure, attempts } = await world.waitForState(id, 'failed');
  expect(failure).toMatchObject({
    message: 'The transaction reverted 4 times. The same call would now succeed.',
  });
  expect(attempts).toHaveLength(4);
  const { gasUsed } = await readPaid(id);
  const isCounted = async () => 60_000n + (await readCountedGas(second)) >= gasUsed;
  await waitUntil('the second sender pays', isCounted);
  expect(await readCountedGas(first)).toBe(120_000n);
});

test('what is repeated for another sender of a permit is none of its guests’, though a guest of the first one sent it', async () => {
  const { pool } = world;
  const { key } = await world.createWallet();
  const [first, second] = [await createPrincipal(), await createPrincipal()];
  await useUpGas(first);
  const { id } = await world.acceptOne({ to: await place(burnsIfPaid), principalId: first });
  await pool.query(
    `update service.transactions set admission = '{"by":"local","isGuests":true}' where id = $1`,
    [id],
  );
  await share(id, second);
  await world.startRelay({ keys: [key] });
  world.startIndexing();
  expect((await world.waitForState(id, 'failed')).attempts).toHaveLength(4);
  const { gasUsed } = await readPaid(id);
  const isCounted = async () => 60_000n + (await readCountedGas(second)) >= gasUsed;
  await waitUntil('the second sender pays', isCounted);
  const { rows } = await pool.query('select admission from service.transactions where id = $1', [id]);
  expect(rows).toEqual([{ admission: { by: 'local' } }]);
});

test('a permit is paid for once if the gas quotas of all who wait for it are used up', async () => {
  const { key } = await world.createWallet();
  const [first, second, third] = [await createPrincipal(), await createPrincipal(), await createPrincipal()];
  await useUpGas(first);
  await useUpGas(second);
  const { id } = await world.acceptOne({ to: await place(burnsIfPaid), principalId: first });
  await share(id, second);
  await share(id, third, 'FAILED');
  await world.startRelay({ keys: [key] });
  world.startIndexing();
  expect((await world.waitForState(id, 'failed')).attempts).toHaveLength(1);
});

/** A call that its own principal may not repeat any more, and that is another one's deployment too. */
async function acceptForDeployment(status: string, error: string | null): Promise<string> {
  const { key } = await world.createWallet();
  const [first, second] = [await createPrincipal(), await createPrincipal()];
  await useUpGas(first);
  const { id } = await world.acceptOne({ to: await place(burnsIfPaid), principalId: first });
  await insertRecord(second);
  // What it used yesterday leaves it all of today's.
  await world.pool.query(
    `insert into service.usage_days (principal_id, day, gas) values ($1, (now() at time zone 'utc')::date - 1, $2)`,
    [second, String(defaultQuotas.gasPerDay)],
  );
  await world.pool.query(
    'update service.records set deploy_transaction_id = $2, status = $3, error = $4 where id = $1',
    [second, id, status, error],
  );
  await world.startRelay({ keys: [key] });
  world.startIndexing();
  return id;
}

test('a call is repeated for another principal whose deployment waits for it', async () => {
  const id = await acceptForDeployment('Draft', null);
  await waitUntil('it is repeated', async () => (await world.readRow(id)).attempts.length > 1);
});

test.each([
  ['has failed', 'Draft', '{}'],
  ['is there already', 'Deployed', null],
])('a call is not repeated for another principal whose deployment %s', async (_, status, error) => {
  const id = await acceptForDeployment(status, error);
  expect((await world.waitForState(id, 'failed')).attempts).toHaveLength(1);
});

test('a transaction that reverts with gas left gets no more gas the next time', async () => {
  const { key } = await world.createWallet();
  await world.startRelay({ keys: [key] });
  const { id } = await world.acceptOne({ to: await place(revertsIfPaid) });
  world.startIndexing();
  await world.waitForState(id, 'failed');
  const { limits } = await readPaid(id);
  expect(limits).toHaveLength(4);
  expect(new Set(limits.slice(1)).size).toBe(1);
});
