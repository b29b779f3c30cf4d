import { expect, test } from 'vitest';
import type { Fold } from '../../../src/worker/projector/fold.ts';
import { ruleOf } from '../rules/support/ruleScene.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { createLongRows } from './support/longRows.ts';
import { clone, deployment, input, type Scene, toggle } from './support/scene.ts';
import type { Fixture } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
let rows: ReturnType<typeof createLongRows>;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
  rows = createLongRows(fixture);
});

const isComplete = (result: Fold) => result.kind === 'folded' && result.isComplete;

/** A record whose every transition notifies so many recipients. */
async function draftNotifying(recipients: number): Promise<string> {
  const { recordId } = await scene.draft();
  const rule = ruleOf({
    trigger: { type: 'onTransition' },
    recipients: Array.from({ length: recipients }, (_, at) => `reader${at}@mail.example`),
  });
  await fixture.pool.query('update service.records set notification_template = $1', [
    JSON.stringify({ rules: [rule] }),
  ]);
  return recordId;
}

test('transitions that notify many are folded a few at a time, and each notifies everybody once', async () => {
  const recordId = await draftNotifying(250);
  await scene.mine(deployment());
  await scene.fold();
  const other = await scene.askFor(clone);
  await scene.fold();
  for (let block = 0; block < 6; block++) {
    scene.add(...Array.from({ length: 4 }, (_, at) => input(toggle(String(4 * block + at)))));
  }
  await scene.show();
  // Rows are read in the order of their last change: the one without rules comes second.
  await fixture.pool.query('update service.records set updated_at = now() where id = $1', [other.recordId]);
  const counts: number[] = [];
  for (let isAll = false; !isAll; ) {
    isAll = isComplete(await scene.foldOnce('rest'));
    const { inputCount } = await scene.record(recordId);
    // A fold may also have only events to release.
    if (inputCount !== counts.at(-1)) counts.push(inputCount);
    // A record without rules does not wait for the notifications of another one.
    expect(await scene.record(other.recordId)).toMatchObject({ inputCount: 24, behind: false });
  }
  expect(counts).toEqual([8, 16, 24]);
  const firings = await rows.rowsOf<{ count: number }>(
    'select count(*)::int as count from service.rule_firings where record_id = $1 group by occasion',
    [recordId],
  );
  // With the one of the deployment.
  expect(firings).toEqual(Array.from({ length: 25 }, () => ({ count: 250 })));
});

test('a block whose inputs would notify too many is announced whole, and its last inputs notify nobody', async () => {
  const recordId = await draftNotifying(250);
  await scene.mine(deployment());
  await scene.fold();
  scene.add(...Array.from({ length: 83 }, (_, at) => input(toggle(String(at)))));
  await scene.show();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 83, behind: false });
  expect(await rows.rowsOf('select 1 from service.quarantined_records')).toEqual([]);
  expect(
    await rows.rowsOf(
      `select count(*)::int as count from service.events where type = 'agreement.transitioned'`,
    ),
  ).toEqual([{ count: 84 }]);
  expect(await rows.rowsOf('select count(*)::int as count from service.rule_firings')).toEqual([
    { count: 250 + 20_000 },
  ]);
  // The next block's inputs notify everybody again.
  await scene.mine(input(toggle('0')));
  await scene.fold();
  expect(await rows.rowsOf('select count(*)::int as count from service.rule_firings')).toEqual([
    { count: 250 + 20_000 + 250 },
  ]);
});

test('in a block with too many transitions, rules of time are scheduled for the last state only', async () => {
  const { recordId } = await scene.draft();
  const rules = ['dark', 'lit'].flatMap((state) =>
    Array.from({ length: 120 }, (_, at) =>
      ruleOf({
        id: `${state}${at}`,
        trigger: {
          type: 'temporal',
          states: [state],
          condition: { type: 'stateAge', threshold: { value: 1, unit: 'days' } },
        },
      }),
    ),
  );
  await fixture.pool.query('update service.records set notification_template = $1', [
    JSON.stringify({ rules }),
  ]);
  await scene.mine(deployment());
  await scene.fold();
  scene.add(...Array.from({ length: 85 }, (_, at) => input(toggle(String(at)))));
  await scene.show();
  await scene.fold();
  const { state } = await scene.record(recordId);
  const open = await rows.rowsOf<{ state: string; count: number }>(
    'select state, count(*)::int as count from service.rule_schedules where until_ms is null group by state',
  );
  expect(open).toEqual([{ state, count: 120 }]);
  const passed = await rows.rowsOf<{ count: number }>(
    'select count(*)::int as count from service.rule_schedules where until_ms is not null',
  );
  // Those of the state before the block.
  expect(passed[0]?.count).toBeLessThanOrEqual(120);
});
