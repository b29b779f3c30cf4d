import { expect, test } from 'vitest';
import { limitFirings } from '../../../src/api/simulation/limitFirings.ts';
import { passTime, type RuleClock } from '../../../src/api/simulation/ruleClock.ts';
import { readRules } from '../../../src/records/rules/notificationTemplate.ts';
import { firingKey } from '../../../src/records/rules/readRuleCounts.ts';

const hourMs = 3_600_000;
const { rules } = readRules(
  JSON.stringify({
    rules: [
      {
        id: 'hourly',
        name: 'Hourly',
        trigger: {
          type: 'temporal',
          states: ['OPEN'],
          condition: { type: 'stateAge', threshold: { value: 1, unit: 'hours' } },
          checkInterval: { value: 1, unit: 'hours' },
        },
        recipients: ['a@lease.example', 'b@lease.example'],
        notification: { subject: 'It', body: 'is time' },
        constraints: { maxOccurrences: 3 },
      },
    ],
  }),
);
const parties = { participants: [], observers: [], variables: {} };

/** What fires at each of these hours after the start, with these counts of earlier firings. */
async function fireAt(hours: readonly number[], counted: Readonly<Record<string, number>> = {}) {
  let clock: RuleClock = { rules, enteredMs: 0, spans: new Map(), firedOnce: new Set() };
  const steps = hours.map((hour) => {
    const passed = passTime(clock, { state: 'OPEN', atMs: hour * hourMs, parties });
    clock = passed.clock;
    return passed.fired;
  });
  const counts = Object.entries(counted).map(
    ([recipient, count]) => [firingKey({ ruleId: 'hourly', recipient }), count] as const,
  );
  const fired = await limitFirings(steps, { rules, readCounts: async () => new Map(counts) });
  return fired.map((step) =>
    step.map(({ recipients, times, dueAt }) => ({
      to: recipients.map((recipient) => recipient.slice(0, 1)).join(''),
      times,
      dueHour: Date.parse(dueAt ?? '') / hourMs,
    })),
  );
}

test('a rule of time fires within one long step no more often than it may', async () => {
  expect(await fireAt([10, 20])).toEqual([[{ to: 'ab', times: 3, dueHour: 3 }], []]);
});

test('firings before a step count, and the recipient with the fewest decides how often the rule fires', async () => {
  const counted = { 'a@lease.example': 1 };
  expect(await fireAt([1, 10, 20], counted)).toEqual([
    [{ to: 'ab', times: 1, dueHour: 1 }],
    [{ to: 'ab', times: 2, dueHour: 3 }],
    [],
  ]);
  expect(await fireAt([10], { 'a@lease.example': 3 })).toEqual([[{ to: 'b', times: 3, dueHour: 3 }]]);
});

test('a rule that stays below its limit fires as often as its time comes', async () => {
  expect(await fireAt([2])).toEqual([[{ to: 'ab', times: 2, dueHour: 2 }]]);
});
