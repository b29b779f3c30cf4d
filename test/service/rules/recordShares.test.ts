import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import type { Rule } from '../../../src/records/rules/notificationTemplate.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
import { addressOfClone } from '../projector/support/chain.ts';
import { annotate, deployment, input, toggle } from '../projector/support/scene.ts';
import { chainId, createFixture, emptyDatabase, type Fixture } from '../projector/support/setup.ts';
import { createRuleScene, ruleOf } from './support/ruleScene.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(() => emptyDatabase(fixture));
afterAll(() => fixture.close());

const bytes = 40_000;
const other = addressOfClone(1);

/** Two agreements of one principal with these rules, and a quota of the principal. */
async function begin({ rules, quota, value }: { rules: readonly Rule[]; quota: string; value: number }) {
  const scene = await createRuleScene(fixture, { rules });
  const { recordId, principalId } = scene;
  const { recordId: otherId } = await scene.draft({ nonce: 1n });
  await fixture.pool.query(
    `update service.records record set notification_template = first.notification_template, participants = first.participants
    from service.records first where first.id = $1 and record.id = $2`,
    [recordId, otherId],
  );
  await fixture.pool.query(
    'insert into service.principal_quotas (principal_id, quota, value) values ($1, $2, $3)',
    [principalId, quota, value],
  );
  await scene.mine(deployment(), deployment());
  const countTold = async (id: string) => {
    const { rows } = await fixture.pool.query<{ count: number }>(
      `select count(*)::int as count from service.events
      where record_id = $1 and type = 'agreement.notification.triggered' and state = 'released'`,
      [id],
    );
    return rows[0]?.count;
  };
  return { ...scene, otherId, countTold };
}

test('an agreement whose input values use up its share of bytes leaves the rules of other agreements alone', async () => {
  const scene = await begin({ rules: [ruleOf()], quota: 'eventBytesPerDay', value: 10 * bytes });
  let omitted = 0;
  for (let at = 0; at < 8; at++) {
    const fold = await scene.mine(input(annotate(`${at}${'x'.repeat(bytes)}`)), input(toggle(`${at}`)));
    if (fold.kind === 'folded') omitted += fold.omitted.get(scene.recordId) ?? 0;
  }
  const told = (await scene.countTold(scene.recordId)) ?? 0;
  expect(told).toBeLessThan(8);
  expect(told).toBeGreaterThanOrEqual(2);
  expect(omitted).toBe(8 - told);
  await scene.mine(input(toggle('1'), { agreement: other }));
  expect(await scene.countTold(scene.otherId)).toBe(1);
});

test('an agreement whose transitions use up its share of events leaves the rules of other agreements alone', async () => {
  const scene = await begin({ rules: [ruleOf()], quota: 'eventsPerDay', value: 60 });
  await scene.mine(...Array.from({ length: 20 }, (_, at) => input(toggle(`${at}`))));
  expect(await scene.countTold(scene.recordId)).toBe(20);
  await scene.mine(input(toggle('1')), input(toggle('1'), { agreement: other }));
  expect(await scene.countTold(scene.recordId)).toBe(20);
  expect(await scene.countTold(scene.otherId)).toBe(1);
});

test('an agreement whose transitions use up its share of mails leaves the mails of other agreements alone', async () => {
  const scene = await begin({ rules: [ruleOf({}, 'email')], quota: 'mailsPerDay', value: 6 });
  for (let at = 0; at < 5; at++) await scene.mine(input(toggle(`${at}`)));
  await scene.mine(input(toggle('1'), { agreement: other }));
  const { rows } = await fixture.pool.query<{ record_id: string; status: string; count: number }>(
    `select record_id, status, count(*)::int as count
    from service.mails join service.rule_firings firing on firing.id = firing_id group by 1, 2 order by 3`,
  );
  expect(rows).toEqual([
    { record_id: scene.otherId, status: 'due', count: 1 },
    { record_id: scene.recordId, status: 'skipped', count: 2 },
    { record_id: scene.recordId, status: 'due', count: 3 },
  ]);
});

test('rules of time of an agreement beyond its share wait, and those of other agreements fire', async () => {
  const condition = { type: 'stateAge' as const, threshold: { value: 1, unit: 'hours' as const } };
  const trigger = { type: 'temporal' as const, states: ['dark'], condition, fireOnce: true };
  const scene = await begin({ rules: [ruleOf({ trigger })], quota: 'eventBytesPerDay', value: 10 * bytes });
  await fixture.pool.query(
    `insert into service.record_usage_days (record_id, day, event_bytes) values ($1, (now() at time zone 'utc')::date, $2)
    on conflict (record_id, day) do update set event_bytes = excluded.event_bytes`,
    [scene.recordId, 10 * bytes],
  );
  const fire = () =>
    inTransaction(fixture.database, (transaction) =>
      fireDueRules(transaction, {
        chainId,
        clock: { nowMs: Number.MAX_SAFE_INTEGER, confirmedBlock: 1n },
        eventIds: createEventIds(Buffer.from('a secret')),
        createdAt: new Date(),
      }),
    );
  expect(await fire()).toMatchObject({ firings: 1 });
  expect(await scene.countTold(scene.recordId)).toBe(0);
  expect(await scene.countTold(scene.otherId)).toBe(1);
  await fixture.pool.query('delete from service.record_usage_days');
  expect(await fire()).toMatchObject({ firings: 1 });
  expect(await scene.countTold(scene.recordId)).toBe(1);
});
