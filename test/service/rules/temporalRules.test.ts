import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import {
  countOldRows,
  removeOldEvents,
  removeOldFirings,
  removeOldRules,
} from '../../../src/records/retention/oldRows.ts';
import type { Rule } from '../../../src/records/rules/notificationTemplate.ts';
import { readChainClock } from '../../../src/worker/notifier/readChainClock.ts';
import { withdrawRules } from '../../../src/worker/notifier/withdrawRules.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { annotate, input, toggle } from '../projector/support/scene.ts';
import {
  chainId,
  createFixture,
  createFolder,
  emptyDatabase,
  type Fixture,
} from '../projector/support/setup.ts';
import { createRuleScene, type RuleScene, ruleOf } from './support/ruleScene.ts';

let fixture: Fixture;
let scene: RuleScene;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(() => emptyDatabase(fixture));
afterEach(() => scene.close());
afterAll(() => fixture.close());

const start = 1_800_000_000;
const hour = 3_600;
type Trigger = Extract<Rule['trigger'], { type: 'temporal' }>;
const hours = (value: number) => ({ value, unit: 'hours' as const });

function temporal(changes: Partial<Trigger> = {}, more: Partial<Rule> = {}): Rule {
  const condition = { type: 'stateAge' as const, threshold: hours(2) };
  const trigger = { type: 'temporal' as const, states: ['dark'], condition, fireOnce: true, ...changes };
  return ruleOf({ trigger, ...more });
}
const ofDate = (type: 'deadlineApproaching' | 'elapsedSinceVariable') => ({
  condition: { type, variable: 'remark', threshold: hours(2) },
});
async function begin(rules: Rule[], confirmations = 1, options: { keptDays?: number } = {}): Promise<void> {
  scene = await createRuleScene(fixture, { rules, confirmations, ...options });
}
const isoOf = (seconds: number) => new Date(seconds * 1_000).toISOString();
const bodies = async () => (await scene.told()).map(({ data }) => data.notification.body);

/** Mines a block with this timestamp, and waits until all due rules have fired. */
async function passTo(timestamp: number): Promise<void> {
  await scene.mineAt(timestamp);
  await waitUntil('everything has fired that is due', scene.settled);
}

test('a state that lasts long enough is announced once per stay, without a transition', async () => {
  await begin([temporal()]);
  await scene.deployAt(start);
  await scene.startRunner();
  await passTo(start + 2 * hour - 1);
  expect(await scene.told()).toEqual([]);
  await passTo(start + 2 * hour);
  await passTo(start + 200 * hour);
  const [event, ...others] = await scene.told();
  expect(others).toEqual([]);
  expect(event?.data).toMatchObject({
    triggerType: 'temporal',
    recipient: 'alice@mail.example',
    notification: { subject: 'A lamp', body: '>dark ' },
  });
  expect(event?.data).not.toHaveProperty('transition');

  await scene.mineAt(start + 201 * hour, input(toggle('1')));
  await scene.mineAt(start + 202 * hour, input(toggle('2')));
  await passTo(start + 204 * hour);
  expect(await bodies()).toEqual(['>dark ', 'lit>dark ']);
});

test('a state that was left before its time is not announced', async () => {
  await begin([temporal()]);
  await scene.deployAt(start);
  const scheduled = sql`
    select schedule.principal_id = r.principal_id as takes_own_turn from service.rule_schedules schedule
    join service.records r on r.id = record_id`;
  expect(await scene.query(scheduled)).toEqual([{ takes_own_turn: true }]);
  await scene.mineAt(start + 2 * hour, input(toggle('1')));
  await scene.startRunner();
  await passTo(start + 50 * hour);
  expect(await scene.told()).toEqual([]);
});

test('rules that became due while no worker ran fire when one does, even for a state that was left since', async () => {
  await begin([temporal()]);
  await scene.deployAt(start);
  await scene.mineAt(start + 3 * hour, input(toggle('1')));
  await scene.mineAt(start + 4 * hour, input(toggle('2')));
  await scene.mineAt(start + 9 * hour);
  await scene.startRunner();
  await waitUntil('both stays are told of', async () => (await scene.told()).length === 2);
  await waitUntil('nothing is due', scene.settled);
  expect(await bodies()).toEqual(['>dark ', 'lit>dark ']);
});

test('everything that happened in one fold counts as if it had been seen happening', async () => {
  await begin([temporal()]);
  await scene.deployAt(start);
  await scene.startRunner();
  for (const [at, brightness] of ['1', '2', '3', '4'].entries())
    scene.add(input(toggle(brightness))).timestamp = start + 3 * hour * (at + 1);
  scene.add().timestamp = start + 13 * hour;
  await scene.show();
  await scene.fold();
  await waitUntil('both stays are told of', async () => (await scene.told()).length === 2);
  await passTo(start + 14 * hour);
  expect(await bodies()).toEqual(['>dark ', 'lit>dark ', 'lit>dark ']);
});

test('a rule fires again once an interval, and once for all intervals that were missed', async () => {
  await begin([temporal({ fireOnce: false, checkInterval: hours(1) })]);
  await scene.deployAt(start);
  const runner = await scene.startRunner();
  await passTo(start + 2 * hour);
  await passTo(start + 2.5 * hour);
  await passTo(start + 3 * hour);
  expect(await scene.told()).toHaveLength(2);
  await runner.close();
  await scene.mineAt(start + 8.5 * hour);
  await scene.startRunner();
  await passTo(start + 8.6 * hour);
  expect(await scene.told()).toHaveLength(3);
  await passTo(start + 9 * hour);
  expect(await scene.told()).toHaveLength(4);
});

test('a rule fires as often as it may', async () => {
  const rule = temporal({ fireOnce: false, checkInterval: hours(1) }, { constraints: { maxOccurrences: 2 } });
  await begin([rule]);
  await scene.deployAt(start);
  await scene.startRunner();
  for (let passed = 2; passed < 8; passed++) await passTo(start + passed * hour);
  expect(await scene.told()).toHaveLength(2);
});

test('what has fired long ago is removed, and counts for ever', async () => {
  const limited = temporal(
    { fireOnce: false, checkInterval: hours(1) },
    { constraints: { maxOccurrences: 3 } },
  );
  await begin([limited, { ...temporal(), id: 'unlimited' }]);
  await scene.deployAt(start);
  await scene.startRunner();
  await passTo(start + 2 * hour);
  await passTo(start + 3 * hour);
  const { pool } = fixture;
  const before = new Date(Date.now() - 90 * 86_400_000);
  const count = async () => {
    const { ruleFirings, ruleSchedules } = await countOldRows(pool, before);
    return { ruleFirings, ruleSchedules };
  };
  expect(await count()).toEqual({ ruleFirings: 0, ruleSchedules: 0 });
  await pool.query(`update service.rule_firings set created_at = now() - interval '91 days'`);
  expect(await count()).toEqual({ ruleFirings: 3, ruleSchedules: 0 });
  expect(await removeOldFirings(pool, { before, limit: 2 })).toMatchObject({ ruleFirings: 2 });
  expect(await removeOldFirings(pool, { before, limit: 2 })).toMatchObject({ ruleFirings: 1 });
  expect(await scene.firings()).toEqual([]);

  for (let passed = 4; passed < 8; passed++) await passTo(start + passed * hour);
  expect(await scene.firings()).toHaveLength(1);

  await scene.mineAt(start + 8 * hour, input(toggle('1')));
  await passTo(start + 9 * hour);
  expect(await count()).toEqual({ ruleFirings: 0, ruleSchedules: 0 });
  await pool.query('update service.rule_schedules set until_ms = 1');
  expect(await count()).toEqual({ ruleFirings: 0, ruleSchedules: 2 });
  expect(await removeOldRules(pool, { before, limit: 5 })).toMatchObject({ ruleSchedules: 2 });
});

test('blocks older than the events that are kept announce nothing when they are folded again', async () => {
  const keptDays = 90;
  const past = start - 1_000 * 24 * hour;
  await begin([temporal({ states: ['dark', 'lit'] }), ruleOf({ id: 'transition' })], 1, { keptDays });
  await scene.deployAt(past);
  await scene.startRunner();
  await scene.mineAt(past + hour, input(toggle('1')));
  await passTo(past + 10 * hour);
  await scene.mineAt(past + 95 * 24 * hour, input(toggle('2')));
  await passTo(past + 96 * 24 * hour);
  const count = async () => {
    const ids = await scene.query<{ id: string }>(sql`select id from service.events order by id`);
    return { events: ids.length, firings: (await scene.firings()).length };
  };
  // A deployment and two inputs; two notifications of inputs, two of states that lasted.
  expect(await count()).toEqual({ events: 7, firings: 4 });
  const { pool } = fixture;
  for (const table of ['events', 'rule_firings'])
    await pool.query(`update service.${table} set created_at = now() - interval '96 days'`);
  await pool.query(`update service.events set released_at = created_at where state = 'released'`);
  const before = new Date(Date.now() - keptDays * 86_400_000);
  await removeOldEvents(pool, { before, limit: 100 });
  await removeOldFirings(pool, { before, limit: 100 });
  expect(await count()).toEqual({ events: 0, firings: 0 });

  await pool.query('update service.folded_blocks set event_count = event_count + 1 where number = 1');
  await createFolder(fixture, { keptDays }).fold();
  await passTo(past + 97 * 24 * hour);
  expect(await scene.record(scene.recordId)).toMatchObject({ transitionCount: 2, state: 'dark' });
  // Only of the block that is not so old, and of the state since then.
  expect(await count()).toEqual({ events: 3, firings: 2 });
});

test('an approaching date is announced, and announced again after it moved', async () => {
  await begin([temporal({ ...ofDate('deadlineApproaching'), fireOnce: false, checkInterval: hours(24) })]);
  await scene.deployAt(start);
  await scene.startRunner();
  await scene.mineAt(start + hour, input(annotate(isoOf(start + 10 * hour))));
  await passTo(start + 7 * hour);
  expect(await scene.told()).toEqual([]);
  await scene.mineAt(start + 7.5 * hour, input(annotate(isoOf(start + 20 * hour))));
  await passTo(start + 11 * hour);
  expect(await scene.told()).toEqual([]);
  await passTo(start + 18 * hour);
  await passTo(start + 19 * hour);
  expect(await bodies()).toEqual([`>dark ${isoOf(start + 20 * hour)}`]);
  await scene.mineAt(start + 19.5 * hour, input(annotate(isoOf(start + 21 * hour))));
  await passTo(start + 19.6 * hour);
  expect(await bodies()).toHaveLength(2);
  await passTo(start + 90 * hour);
  expect(await bodies()).toHaveLength(2);
});

test('a date long enough in the past is announced once per stay, however often it moves', async () => {
  await begin([temporal(ofDate('elapsedSinceVariable'))]);
  await scene.deployAt(start);
  await scene.startRunner();
  await scene.mineAt(start + hour, input(annotate('not a date')));
  await passTo(start + 5 * hour);
  await scene.mineAt(start + 6 * hour, input(annotate(isoOf(start + 5 * hour))));
  await passTo(start + 7 * hour - 1);
  expect(await scene.told()).toEqual([]);
  await passTo(start + 7 * hour);
  expect(await scene.told()).toHaveLength(1);
  await scene.mineAt(start + 8 * hour, input(annotate(isoOf(start))));
  await passTo(start + 30 * hour);
  expect(await scene.told()).toHaveLength(1);
});

test('a date that moves long after its announcement is not announced again in the same stay', async () => {
  await begin([temporal(ofDate('elapsedSinceVariable'))]);
  await scene.deployAt(start);
  await scene.startRunner();
  await scene.mineAt(start + hour, input(annotate(isoOf(start + 5 * hour))));
  await passTo(start + 7 * hour);
  expect(await scene.told()).toHaveLength(1);
  const { pool } = fixture;
  for (const table of ['events', 'rule_firings'])
    await pool.query(`update service.${table} set created_at = now() - interval '91 days'`);
  await pool.query(`update service.events set released_at = created_at where state = 'released'`);
  const before = new Date(Date.now() - 90 * 86_400_000);
  await removeOldEvents(pool, { before, limit: 100 });
  expect(await countOldRows(pool, before)).toMatchObject({ ruleFirings: 0 });
  expect(await removeOldFirings(pool, { before, limit: 100 })).toMatchObject({ ruleFirings: 0 });

  await scene.mineAt(start + 8 * hour, input(annotate(isoOf(start))));
  await passTo(start + 30 * hour);
  expect(await scene.told()).toEqual([]);
  await scene.mineAt(start + 31 * hour, input(toggle('1')));
  await pool.query('update service.rule_schedules set until_ms = 1');
  expect(await removeOldRules(pool, { before, limit: 100 })).toMatchObject({ ruleSchedules: 3 });
  expect(await removeOldFirings(pool, { before, limit: 100 })).toMatchObject({ ruleFirings: 1 });
});

test('a state without confirmations, or in a block that fell out, is not announced', async () => {
  await begin([temporal({ states: ['lit'] })], 3);
  await scene.deployAt(start);
  await scene.startRunner();
  await scene.mineAt(start + 1 * hour, input(toggle('1')));
  await scene.mineAt(start + 4 * hour);
  expect(await scene.told()).toEqual([]);
  scene.drop(2);
  scene.add().timestamp = start + 1 * hour;
  for (const passed of [5, 6, 7, 8]) await passTo(start + passed * hour);
  expect(await scene.told()).toEqual([]);
  expect(await scene.query(sql`select 1 from service.rule_schedules`)).toEqual([]);
});

test.each([1, 3])(
  'after a reorg to a lower height, confirmations (%i) count from that height',
  async (confirmations) => {
    await begin([temporal()], confirmations);
    await scene.deployAt(start);
    for (const passed of [1, 2, 3, 4, 5]) await scene.mineAt(start + passed * hour);
    scene.drop(3);
    await scene.mineAt(start + 3 * hour);
    const anvil = await startAnvil({ chainId });
    const client = createAnvilClient(anvil.rpcUrl);
    await client.mine({ blocks: 6 });
    const confirmedBlock = BigInt(4 - confirmations + 1);
    const { timestamp } = await client.getBlock({ blockNumber: confirmedBlock });
    const chain = { chainId, confirmations };
    const options = { chain, client, idleMs: Number.MAX_SAFE_INTEGER, wantedMs: 0 };
    const clock = await readChainClock(fixture.database, options);
    await anvil.stop();
    expect(clock).toEqual({ nowMs: Number(timestamp) * 1_000, confirmedBlock });
  },
);

test('blocks that fall out take nothing from rules in other blocks, or on another chain', async () => {
  const toggled = ruleOf({ id: 'toggled', constraints: { maxOccurrences: 3 } }, 'email');
  await begin([temporal(), toggled], 5);
  await scene.deployAt(start);
  const left = await scene.mineAt(start + hour, input(toggle('1')));
  const read = async () => {
    const [row] = await scene.query(sql`
      select (select json_agg(state) from service.rule_firings) as firings,
        (select json_agg(status) from service.mails) as mails,
        (select json_agg(count) from service.rule_counts) as counts,
        (select json_agg(until_block) from service.rule_schedules) as schedules`);
    return row;
  };
  const lose = (changes: { chainId?: number; numbers: bigint[] }) =>
    inTransaction(fixture.database, (transaction) => withdrawRules(transaction, { chainId, ...changes }));
  const end = BigInt(left.number);
  const stands = { firings: ['pending'], mails: ['waiting'], counts: [1], schedules: [left.number] };
  expect(await read()).toEqual(stands);
  await lose({ chainId: chainId + 1, numbers: [end - 1n, end] });
  await lose({ numbers: [end + 1n] });
  expect(await read()).toEqual(stands);
  await lose({ numbers: [end] });
  expect(await read()).toEqual({
    firings: ['withdrawn'],
    mails: ['withdrawn'],
    counts: [0],
    schedules: [null],
  });
  await lose({ numbers: [end - 1n] });
  expect(await read()).toMatchObject({ schedules: null });
});

test('a state whose end fell out lasts on', async () => {
  await begin([temporal()], 1);
  await scene.deployAt(start);
  await scene.mineAt(start + hour, input(toggle('1')));
  await scene.startRunner();
  await passTo(start + 2 * hour);
  scene.drop(2);
  scene.add().timestamp = start + hour;
  scene.add().timestamp = start + 1.5 * hour;
  await passTo(start + 3 * hour);
  expect(await bodies()).toEqual(['>dark ']);
});

test('a deployment that comes back after a reorg is announced once', async () => {
  await begin([temporal()]);
  await scene.deployAt(start);
  const [deployed] = scene.chain();
  await scene.startRunner();
  await passTo(start + 2 * hour);
  scene.drop(2);
  scene.add(...(deployed?.events ?? [])).timestamp = start + 60;
  await passTo(start + 10 * hour);
  expect(await scene.told()).toHaveLength(1);
});

test('several workers whose connections are cut again and again tell of every occasion once', async () => {
  await begin([
    temporal({ fireOnce: false, checkInterval: hours(1) }, { recipients: ['holder', '@observers'] }),
    temporal(
      { fireOnce: false, checkInterval: hours(1) },
      { id: 'mail', notification: { subject: 's', body: 'b' } },
    ),
  ]);
  await scene.deployAt(start);
  for (let count = 0; count < 3; count++) await scene.startRunner();
  const rounds = 12;
  for (let round = 0; round < rounds; round++) {
    await scene.mineAt(start + (round + 2) * hour);
    await fixture.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and application_name in ('rules', 'agreements listener')`,
    );
    await waitUntil('everything has fired that is due', scene.settled);
  }
  const told = await scene.told();
  expect(told).toHaveLength(2 * rounds);
  expect(new Set(told.map(({ id }) => id)).size).toBe(2 * rounds);
  expect(await scene.mails()).toHaveLength(rounds);
  const jobs = await fixture.pool.query(`select key from graphile_worker.jobs where key like 'mail:%'`);
  expect(new Set(jobs.rows.map(({ key }) => key)).size).toBe(rounds);
});
