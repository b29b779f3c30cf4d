import pg from 'pg';
import { expect } from 'vitest';
import { waitUntil } from '../../support/waitUntil.ts';
import { createCaller } from './caller.ts';
import { killAndAwaitRestart, type LocalStack } from './localStack.ts';

/** The processes of a stack that the stack starts again when they die. */
export type Victim = 'the worker' | 'the api' | 'the indexer';

const chainIds = [59141, 11155111, 84532];

/**
 * Kills a process during deployments on all chains. Each deployment must happen exactly once and be served.
 */
export async function killAmidDeployments(local: LocalStack, victim: Victim): Promise<void> {
  const callers = chainIds.map((chainId) => createCaller(local.stack, chainId));
  const prepared = await Promise.all(
    callers.map(async (caller) => ({ caller, body: await caller.prepareDeploy() })),
  );
  const sent = prepared.map(({ caller, body }) => ({ caller, body, answer: caller.deploy(body) }));
  await awaitStored(
    local,
    callers.map(({ account }) => account.address),
  );
  await killAndAwaitRestart(local, victim);

  for (const { caller, body, answer } of sent) {
    const { id } = await answer;
    const { address, state } = await caller.awaitDeployed(id);
    expect(state).toBe('PING');
    // The same permit again gives the same record, and nothing new on the chain.
    expect(await caller.deploy(body)).toMatchObject({ id, address });
    expect(await caller.countDeployed()).toBe(1);
  }
}

/** Kills a process during an input. The input must happen exactly once and be served. */
export async function killAmidInput(local: LocalStack, victim: Victim): Promise<void> {
  const caller = createCaller(local.stack, 59141);
  const { id } = await caller.deploy(await caller.prepareDeploy());
  const { address } = await caller.awaitDeployed(id);
  const body = await caller.prepareHit(address, `while ${victim} is killed`);
  const sent = caller.hit(id, body);
  await awaitStored(local, [caller.account.address], 2);
  await killAndAwaitRestart(local, victim);
  const { id: inputId } = await sent;

  const { state, served, onChain } = await caller.awaitAgreement({ id, address });
  expect(state).toBe('PONG');
  expect(served).toMatchObject([
    { id: inputId, fromState: 'PING', toState: 'PONG', txHash: onChain.inputs[0]?.txHash },
  ]);
  expect(await caller.hit(id, body)).toMatchObject({ id: inputId, status: 'MINED' });
  expect(onChain.nonces.get(caller.account.address)).toBe(1n);
}

/** Waits until the service has stored these wallets' permits and so is working on them. */
async function awaitStored(local: LocalStack, signers: readonly string[], permits = 1): Promise<void> {
  const client = new pg.Client({ connectionString: local.stack.databaseUrl });
  // If the test fails, the database ends under this connection too. That error would hide the real failure.
  client.on('error', () => {});
  await client.connect();
  try {
    const query = 'select count(*)::int as stored from service.transactions where signer = any($1)';
    await waitUntil('the permits are stored', async () => {
      const { rows } = await client.query(query, [signers]);
      return rows[0]?.stored === signers.length * permits;
    });
  } finally {
    await client.end();
  }
}
