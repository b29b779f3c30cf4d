import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../support/waitUntil.ts';
import { createCaller } from './support/caller.ts';
import { killAmidDeployments, killAmidInput } from './support/killInTheMiddle.ts';
import { createLocalStacks, type LocalStack, type LocalStacks, listRunning } from './support/localStack.ts';

let stacks: LocalStacks;
let local: LocalStack;
beforeAll(async () => {
  stacks = await createLocalStacks();
  local = await stacks.start();
});
afterAll(() => stacks.dispose());

// The other half of the pairs is in `test/long/crashes.test.ts`.
test('deployments during which the worker is killed happen exactly once and are served', () =>
  killAmidDeployments(local, 'the worker'));

test.each(['the api', 'the indexer'] as const)(
  'an input during which %s is killed happens exactly once and is served',
  (victim) => killAmidInput(local, victim),
);

test('when the whole stack is killed nothing outlives it, and the next start serves the same data', async () => {
  const caller = createCaller(local.stack, 84532);
  const { id } = await caller.deploy(await caller.prepareDeploy());
  const { address } = await caller.awaitDeployed(id);
  const processes = local.processes();

  local.program.signal('SIGKILL');
  await local.program.exited;
  await waitUntil('everything has ended', () => listRunning(processes).length === 0);

  local = await stacks.start();
  const again = createCaller(local.stack, 84532);
  const record = await again.awaitDeployed(id);
  expect(record).toMatchObject({ id, address, state: 'PING' });
  await again.hit(id, await again.prepareHit(address, 'after the crash'));
  expect(await again.awaitAgreement({ id, address })).toMatchObject({ state: 'PONG' });
});
