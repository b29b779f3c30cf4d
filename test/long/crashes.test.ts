import { afterAll, beforeAll, test } from 'vitest';
import { killAmidDeployments, killAmidInput } from '../e2e/support/killInTheMiddle.ts';
import { createLocalStacks, type LocalStack, type LocalStacks } from '../e2e/support/localStack.ts';

let stacks: LocalStacks;
let local: LocalStack;
beforeAll(async () => {
  stacks = await createLocalStacks();
  local = await stacks.start();
});
afterAll(() => stacks.dispose());

test.each(['the api', 'the indexer'] as const)(
  'deployments during which %s is killed happen exactly once and are served',
  (victim) => killAmidDeployments(local, victim),
);

test('an input during which the worker is killed happens exactly once and is served', () =>
  killAmidInput(local, 'the worker'));
