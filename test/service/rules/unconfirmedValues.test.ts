import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { annotate, input } from '../projector/support/scene.ts';
import { chainId, createFixture, emptyDatabase, type Fixture } from '../projector/support/setup.ts';
import { createRuleScene, type RuleScene, ruleOf } from './support/ruleScene.ts';

let fixture: Fixture;
let scene: RuleScene;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(async () => {
  await emptyDatabase(fixture);
  const condition = { type: 'stateAge' as const, threshold: { value: 2, unit: 'hours' as const } };
  const trigger = { type: 'temporal' as const, states: ['dark'], condition, fireOnce: true };
  scene = await createRuleScene(fixture, { rules: [ruleOf({ trigger })], confirmations });
  await scene.deployAt(start);
});
afterEach(() => scene.close());
afterAll(() => fixture.close());

const confirmations = 3;
const start = 1_800_000_000;
const due = start + 7_200;

/** Fires what is due by the last block with its confirmations. Returns the texts of all notifications so far. */
async function fire(): Promise<string[]> {
  const confirmed = scene.chain().at(-confirmations);
  if (!confirmed) return [];
  const clock = { nowMs: confirmed.timestamp * 1_000, confirmedBlock: BigInt(confirmed.number) };
  const options = {
    chainId,
    clock,
    eventIds: createEventIds(Buffer.from('a secret')),
    createdAt: new Date(),
  };
  await inTransaction(fixture.database, (transaction) => fireDueRules(transaction, options));
  return (await scene.told()).map(({ data }) => data.notification.body);
}

test('a rule of time sends no values of an input that may still fall out', async () => {
  await scene.mineAt(due - 1, input(annotate('confirmed')));
  for (const at of [0, 1]) await scene.mineAt(due + at);
  await scene.mineAt(due + 2, input(annotate('unconfirmed')));
  expect(await fire()).toEqual([]);
  scene.drop(1);
  await scene.mineAt(due + 2);
  expect(await fire()).toEqual(['>dark confirmed']);
});

test('a rule of time sends no values of an input that is folded while the rule is about to fire', async () => {
  for (const at of [0, 1, 2]) await scene.mineAt(due + at);
  const client = await fixture.pool.connect();
  try {
    // Keeps the rule waiting between its choice and its values.
    await client.query('begin; lock table service.event_feeds');
    const firing = fire();
    await waitUntil('the rule is chosen', async () => (await readLockWaits(fixture.pool)).length > 0);
    await scene.mineAt(due + 3, input(annotate('unconfirmed')));
    await client.query('commit');
    expect(await firing).toEqual([]);
  } finally {
    await client.query('rollback');
    client.release();
  }
  for (const at of [4, 5]) await scene.mineAt(due + at);
  expect(await fire()).toEqual(['>dark unconfirmed']);
});

test('a rule of time sends the values of an input once it is confirmed', async () => {
  for (const at of [0, 1]) await scene.mineAt(due + at);
  await scene.mineAt(due + 2, input(annotate('later')));
  expect(await fire()).toEqual([]);
  for (const at of [3, 4]) await scene.mineAt(due + at);
  expect(await fire()).toEqual(['>dark later']);
});

test('nobody silences a rule of time by an input in every block', async () => {
  let passed = 0;
  for (; (await fire()).length === 0; passed += 60) {
    expect(passed).toBeLessThan(600);
    await scene.mineAt(due + passed, input(annotate(`${passed}`)));
  }
  expect(passed).toBeGreaterThan(300);
});
