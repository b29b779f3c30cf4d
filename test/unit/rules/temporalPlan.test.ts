import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TemporalTrigger } from '../../../src/records/rules/notificationTemplate.ts';
import { findDue, parseDate, planTemporal } from '../../../src/records/rules/temporalPlan.ts';

const day = 86_400_000;
const hour = day / 24;
const date = '2026-03-10T12:00:00Z';
const dateMs = Date.UTC(2026, 2, 10, 12);
const threshold = { value: 2, unit: 'days' } as const;
const enteredMs = dateMs - 10 * day;
const span = { enteredMs, sinceMs: enteredMs, date };

const triggerOf = (
  type: 'deadlineApproaching' | 'elapsedSinceVariable',
  more: object = {},
): TemporalTrigger => ({
  type: 'temporal',
  states: ['LENT'],
  condition: { type, variable: 'dueBack', threshold },
  ...more,
});
const stateAge: TemporalTrigger = {
  type: 'temporal',
  states: ['LENT'],
  condition: { type: 'stateAge', threshold },
};

describe('a rule of time fires first', () => {
  test('when the state is as old as its threshold, whatever became of the variables meanwhile', () => {
    const startsMs = enteredMs + 2 * day;
    expect(planTemporal(stateAge, { ...span, sinceMs: enteredMs + 5 * day, date: null })).toMatchObject({
      startsMs,
      endsMs: null,
    });
  });

  test('when its date is as near as the threshold, and no more once the date is past', () => {
    const trigger = triggerOf('deadlineApproaching');
    expect(planTemporal(trigger, span)).toMatchObject({ startsMs: dateMs - 2 * day, endsMs: dateMs });
  });

  test('when its date is as long past as the threshold', () => {
    const trigger = triggerOf('elapsedSinceVariable');
    expect(planTemporal(trigger, span)).toMatchObject({ startsMs: dateMs + 2 * day, endsMs: null });
  });

  test('at once if that moment is past when the state is entered or the date is set', () => {
    const near = { ...span, sinceMs: dateMs - hour };
    expect(planTemporal(triggerOf('deadlineApproaching'), near).startsMs).toBe(dateMs - hour);
    const after = { ...span, sinceMs: dateMs + 3 * day };
    expect(planTemporal(triggerOf('elapsedSinceVariable'), after).startsMs).toBe(dateMs + 3 * day);
  });

  test('never if an approaching date is already past', () => {
    const late = { ...span, sinceMs: dateMs + 1 };
    expect(planTemporal(triggerOf('deadlineApproaching'), late).startsMs).toBeNull();
  });

  test.each([null, '', 'soon', '2026-02-30', '2026-13-01', '2026-03-10T25:00Z', '1773144000'])(
    'never where its date is %j',
    (text) => {
      expect(planTemporal(triggerOf('elapsedSinceVariable'), { ...span, date: text }).startsMs).toBeNull();
    },
  );
});

test.each([
  ['2026-03-10', Date.UTC(2026, 2, 10)],
  ['2026-03-10T12:30', Date.UTC(2026, 2, 10, 12, 30)],
  ['2026-03-10 12:30:15', Date.UTC(2026, 2, 10, 12, 30, 15)],
  [' 2026-03-10T12:30:15.250Z ', Date.UTC(2026, 2, 10, 12, 30, 15, 250)],
  ['2026-03-10T12:30:00+02:00', Date.UTC(2026, 2, 10, 10, 30)],
  ['2026-03-10T12:30:00-0130', Date.UTC(2026, 2, 10, 14)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
])('%j is a date, in UTC unless it says otherwise', (text, ms) => {
  expect(parseDate(text)).toBe(ms);
});

describe('a rule fires again', () => {
  test('every day, or at its own interval, or never again if it fires once', () => {
    expect(planTemporal(stateAge, span).intervalMs).toBe(day);
    const hourly = { ...stateAge, checkInterval: { value: 1, unit: 'hours' } as const };
    expect(planTemporal(hourly, span).intervalMs).toBe(hour);
    expect(planTemporal({ ...hourly, fireOnce: true }, span).intervalMs).toBeNull();
  });

  test('no more often than once a minute, however short its interval', () => {
    const hasty = { ...stateAge, checkInterval: { value: 1, unit: 'seconds' } as const };
    expect(planTemporal(hasty, span).intervalMs).toBe(60_000);
  });

  const plan = { startsMs: 1_000, endsMs: null, intervalMs: 100 };
  const due = (nowMs: number, nextNumber = 0, untilMs: number | null = null) =>
    findDue(plan, { nowMs, untilMs, nextNumber });

  test('in each interval once', () => {
    expect(due(999)).toBeUndefined();
    expect(due(1_000)).toEqual({ number: 0, dueMs: 1_000 });
    expect(due(1_099, 1)).toBeUndefined();
    expect(due(1_100, 1)).toEqual({ number: 1, dueMs: 1_100 });
  });

  test('once for all intervals that were missed', () => {
    expect(due(1_450, 1)).toEqual({ number: 4, dueMs: 1_400 });
  });

  test('for firings due before the state was left, and for none later', () => {
    expect(due(5_000, 0, 1_200)).toEqual({ number: 1, dueMs: 1_100 });
    expect(due(5_000, 2, 1_200)).toBeUndefined();
    expect(due(5_000, 0, 1_000)).toBeUndefined();
  });

  test('up to the last moment at which it may', () => {
    const ending = { ...plan, endsMs: 1_200 };
    expect(findDue(ending, { nowMs: 9_000, untilMs: null, nextNumber: 0 })).toEqual({
      number: 2,
      dueMs: 1_200,
    });
  });
});

test('however often somebody looks, a rule fires once an interval at most, and never before it is due', () => {
  const whole = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(
      fc.record({
        startsMs: whole(500),
        endsMs: fc.option(whole(900)),
        intervalMs: fc.option(fc.integer({ min: 1, max: 90 })),
      }),
      fc.option(whole(1_000)),
      fc.array(whole(1_200), { maxLength: 30 }),
      (plan, untilMs, looks) => {
        let nextNumber = 0;
        const fired: number[] = [];
        for (const nowMs of looks.toSorted((a, b) => a - b)) {
          const due = findDue(plan, { nowMs, untilMs, nextNumber });
          if (!due) continue;
          expect(due.dueMs).toBeLessThanOrEqual(nowMs);
          fired.push(due.dueMs);
          nextNumber = due.number + 1;
        }
        const latest = Math.max(-1, ...looks);
        const possible: number[] = [];
        for (let number = 0; number <= (plan.intervalMs === null ? 0 : 2_000); number++) {
          const dueMs = plan.startsMs + number * (plan.intervalMs ?? 0);
          if (dueMs <= latest && dueMs <= (plan.endsMs ?? 2_000) && dueMs < (untilMs ?? 2_000))
            possible.push(dueMs);
        }
        expect(new Set(fired).size).toBe(fired.length);
        expect(fired.every((dueMs) => possible.includes(dueMs))).toBe(true);
        // If a look came after the last firing was due, it has found that firing.
        expect(fired.at(-1)).toBe(possible.at(-1));
      },
    ),
  );
});
