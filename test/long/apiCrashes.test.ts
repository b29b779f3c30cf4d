import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AgreementsClient, ConnectionError } from '../../client/src/index.ts';
import type { Child } from '../../src/platform/supervision/child.ts';
import { type FaultPoint, faultPoints } from '../../src/platform/supervision/faultPoint.ts';
import { type CalledStack, createCaller } from '../e2e/support/caller.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startRunning } from '../support/runningProcess.ts';
import { createServiceStack, type ServiceKind, type ServiceStack } from '../support/serviceStack.ts';
import { createSingleCallClient } from '../support/singleCalls.ts';

let database: TestDatabase;
let stack: ServiceStack;
/** The API that is never killed. */
let called: CalledStack;
const lasting: Child[] = [];
const doomed: Child[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  stack = await createServiceStack({ databaseUrl: database.url, wallets: 1 });
  const start = (kind: ServiceKind) => startRunning(stack, { kind, onStart: (child) => lasting.push(child) });
  const [{ baseUrl }] = await Promise.all([start('api'), start('worker'), start('indexer')]);
  await stack.awaitReady();
  const { apiKey, chainId, rpcUrl, factory } = stack;
  called = { baseUrl, apiKey, chains: [{ chainId, rpcUrl, factory }] };
});
afterEach(async () => {
  await Promise.all(doomed.splice(0).map((child) => child.kill()));
});
afterAll(async () => {
  await Promise.all(lasting.map((child) => child.kill()));
  await stack?.close();
  await database?.drop();
});

/** Sends a request to an API that is killed at this fault point. */
async function askInVain(
  point: FaultPoint,
  ask: (client: AgreementsClient) => Promise<unknown>,
): Promise<void> {
  const env = { FAULT_POINT: point };
  const { baseUrl, child } = await startRunning(stack, {
    kind: 'api',
    env,
    onStart: (started) => doomed.push(started),
  });
  const client = createSingleCallClient({ baseUrl, apiKey: stack.apiKey });
  await expect(ask(client)).rejects.toThrow(ConnectionError);
  expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
}

async function countStored(signer: string, kind: 'deploy' | 'input'): Promise<number> {
  const query = 'select 1 from service.transactions where signer = $1 and kind = $2';
  return (await stack.pool.query(query, [signer, kind])).rowCount ?? 0;
}

describe.each(faultPoints.api)('an API that is killed at %s', (point) => {
  const left = point === 'beforeStoreCommit' ? 0 : 1;

  test('has stored all of a deployment or nothing, and it happens exactly once when it is asked for again', async () => {
    const caller = createCaller(called, stack.chainId);
    const { address: signer } = caller.account;
    const body = await caller.prepareDeploy();
    await askInVain(point, ({ agreements }) => agreements.deployWithPermit(body));
    expect(await countStored(signer, 'deploy')).toBe(left);

    const { id } = await caller.deploy(body);
    const { address } = await caller.awaitDeployed(id);
    expect(await caller.deploy(body)).toMatchObject({ id, address });
    expect(await countStored(signer, 'deploy')).toBe(1);
    expect(await caller.countDeployed()).toBe(1);
  });

  test('has stored all of an input or nothing, and it happens exactly once when it is sent again', async () => {
    const caller = createCaller(called, stack.chainId);
    const { address: signer } = caller.account;
    const { id } = await caller.deploy(await caller.prepareDeploy());
    const { address } = await caller.awaitDeployed(id);
    const body = await caller.prepareHit(address, point);
    await askInVain(point, ({ agreements }) => agreements.submitInput(id, body));
    expect(await countStored(signer, 'input')).toBe(left);

    const { id: inputId } = await caller.hit(id, body);
    const { served, onChain } = await caller.awaitAgreement({ id, address });
    expect(served).toMatchObject([{ id: inputId, txHash: onChain.inputs[0]?.txHash }]);
    expect(await caller.hit(id, body)).toMatchObject({ id: inputId, status: 'MINED' });
    expect(await countStored(signer, 'input')).toBe(1);
    expect(onChain.nonces.get(signer)).toBe(1n);
  });
});
