import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../e2e/support/caller.ts';
import { killAmidDeployments, killAmidInput } from '../e2e/support/killInTheMiddle.ts';
import {
  createLocalStacks,
  type LocalStack,
  type LocalStacks,
  listRunning,
} from '../e2e/support/localStack.ts';
import { waitUntil } from '../support/waitUntil.ts';

let stacks: LocalStacks;
let local: LocalStack;
beforeAll(async () => {
  stacks = await createLocalStacks();
  local = await stacks.start();
});
afterAll(() => stacks.dispose());

const victims = ['the worker', 'the api', 'the indexer'] as const;

test.each(victims)('deployments during which %s is killed happen exactly once and are served', (victim) =>
  killAmidDeployments(local, victim),
);

// `test/e2e/localStack.test.ts` also kills the API during an input.
test.each(victims)('an input during which %s is killed happens exactly once and is served', (victim) =>
  killAmidInput(local, victim),
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
