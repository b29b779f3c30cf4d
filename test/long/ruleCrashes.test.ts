import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FaultPoint } from '../../src/platform/supervision/faultPoint.ts';
import { type CrashScene, createCrashScene } from '../service/rules/support/crashScene.ts';
import { ruleOf } from '../service/rules/support/ruleScene.ts';
import { patienceMs } from '../support/patience.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** One test starts seven workers one after the other. That takes up to half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

const recipients = ['holder', '@observers'];
/** Fires for every state that lasts two hours, which is shorter than the time between two blocks. */
const trigger = {
  type: 'temporal' as const,
  states: ['dark', 'lit'],
  condition: { type: 'stateAge' as const, threshold: { value: 2, unit: 'hours' as const } },
  fireOnce: true,
};
const rules = [
  ruleOf({ id: 'event', recipients }),
  ruleOf({ id: 'mail', recipients }, 'email'),
  ruleOf({ id: 'late event', recipients, trigger }),
  ruleOf({ id: 'late mail', recipients, trigger }, 'email'),
];

let scene: CrashScene;
beforeEach(async () => {
  scene = await createCrashScene(rules);
});
afterEach(() => scene.close());

/**
 * The expected counts if each toggle, and each stay before and after it, is announced once to each recipient.
 */
function countsOf(toggles: number): Record<string, number> {
  const stays = toggles + 1;
  const counts = { event: toggles, 'late event': stays, 'late mail': stays, mail: toggles };
  return Object.fromEntries(
    Object.entries(counts).flatMap(([rule, count]) => [
      [`${rule} alice@mail.example`, count],
      [`${rule} eve@mail.example`, count],
    ]),
  );
}

/** The number of released notifications, by rule and recipient. */
async function countTold(): Promise<Record<string, number>> {
  const pairs = (await scene.told()).map(({ data }) => `${data.ruleId} ${data.recipient}`);
  const groups = Map.groupBy(pairs, (pair) => pair);
  return Object.fromEntries([...groups].map(([pair, { length }]) => [pair, length]));
}

async function expectToldOnce(toggles: number): Promise<void> {
  const counts = countsOf(toggles);
  const ofEvents = Object.entries(counts).filter(([pair]) => pair.includes('event'));
  expect(await scene.countFirings()).toEqual(counts);
  expect(await countTold()).toEqual(Object.fromEntries(ofEvents));
  expect(new Set(scene.takenIds()).size).toBe(2 * (toggles + toggles + 1));
}

const toggles = 2;
const pending = { firings: 4 * toggles, released: 0 };
const none = { firings: 0, released: 0 };
/**
 * Where each worker is killed, one after the other, and the firings that it leaves. The next worker continues
 * from there.
 */
const places: { fault: `${FaultPoint}:${number}`; left: Left }[] = [
  { fault: 'afterFiringWrite:2', left: none },
  { fault: 'beforeFoldCommit:1', left: none },
  { fault: 'afterFoldCommit:1', left: pending },
];

test('workers killed while transitions are matched and rules become due: each is announced once', async () => {
  await scene.deploy();
  await scene.toggle(toggles);
  for (const { fault, left } of places) {
    expect(await scene.start(fault).exited, fault).toMatchObject({ signal: 'SIGKILL' });
    expect(await countLeft('onTransition'), fault).toEqual(left);
  }
  // This toggle is new, so there is something to release; rules that were due may already have released the
  // rest.
  await scene.toggle();
  expect(await scene.start('beforeReleaseCommit:1').exited).toMatchObject({ signal: 'SIGKILL' });
  expect(await countLeft('onTransition')).toMatchObject({ firings: pending.firings + 4 });
  // Some rules may have become due before the last worker was killed; with this block, those of the last stay
  // become due.
  await scene.pass();
  const before = await countLeft('temporal');
  expect(await scene.start('beforeRulesCommit:1').exited).toMatchObject({ signal: 'SIGKILL' });
  expect(await countLeft('temporal')).toEqual(before);
  // A worker's first look may come before its fold, and fire nothing.
  let lastKilled = 0;
  const fireSome = async () => {
    expect(await scene.start('afterRulesCommit:1').exited).toMatchObject({ signal: 'SIGKILL' });
    lastKilled += 1;
    return (await countLeft('temporal')).released > before.released;
  };
  await waitUntil('rules that were due have fired', fireSome);

  await scene.expireLeases();
  scene.start();
  await scene.awaitRest();
  await scene.pass();
  await scene.awaitRest();
  await expectToldOnce(toggles + 1);
  // Only the last workers can have held mails, one each.
  expectTakenAgain(2 + lastKilled);
});

test('with two workers, killed in turn, everything is announced once', async () => {
  await scene.deploy();
  const first = scene.start();
  const faults = ['afterFiringWrite:2', 'beforeRulesCommit:2', 'afterMailSend:2'] as const;
  let shown = 0;
  for (const fault of faults) {
    const victim = scene.start(fault);
    await victim.ready();
    const seeKilled = async () => {
      await scene.toggle();
      shown += 1;
      await waitUntil('all of it is sent', async () => victim.hasEnded() || (await scene.isAtRest()));
      return victim.hasEnded();
    };
    // The other worker may take several toggles first, and each of them may take as long as usual waits.
    await waitUntil(`one is killed at ${fault}`, seeKilled, patienceMs);
    expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
  }
  await scene.pass();
  await scene.awaitRest();
  expect(first.hasEnded()).toBe(false);
  await expectToldOnce(shown);
  expectTakenAgain(faults.length);
  // More than one wait for a killed worker may take.
}, 300_000);

/** At most this number of mails was taken twice: each killed worker holds at most one. */
function expectTakenAgain(atMost: number): void {
  const ids = scene.takenIds();
  expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(atMost);
}

type Left = { firings: number; released: number };
async function countLeft(trigger: 'onTransition' | 'temporal'): Promise<Left> {
  const { rows } = await scene.pool.query<Left>(
    `select count(*)::int as firings, (count(*) filter (where state = 'released'))::int as released
     from service.rule_firings where trigger_type = $1`,
    [trigger],
  );
  return rows[0] ?? none;
}
