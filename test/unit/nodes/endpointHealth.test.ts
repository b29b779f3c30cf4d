import { describe, expect, test } from 'vitest';
import { readRetryAfter } from '../../../src/platform/nodes/batchedRpc.ts';
import { createEndpointHealth } from '../../../src/platform/nodes/endpointHealth.ts';
import { createRequestBudget } from '../../../src/platform/nodes/requestBudget.ts';

function createClock() {
  let now = 1_000_000;
  return {
    read: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('the health of an endpoint', () => {
  test('two failures are chance, three in a row a rest, and each failure after it a longer one', () => {
    const clock = createClock();
    const health = createEndpointHealth(clock.read);
    health.noteFailure();
    health.noteFailure();
    expect([health.status(), health.restsForMs()]).toEqual(['ok', 0]);
    const rests: number[] = [];
    for (let at = 0; at < 8; at++) {
      health.noteFailure();
      rests.push(health.restsForMs());
      clock.pass(health.restsForMs());
      expect(health.needsProbe()).toBe(true);
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    health.noteAnswer();
    expect([health.status(), health.needsProbe(), health.failuresInARow()]).toEqual(['ok', false, 0]);
  });

  test('answers in between leave no rest', () => {
    const health = createEndpointHealth(createClock().read);
    for (let at = 0; at < 9; at++) {
      health.noteFailure();
      health.noteFailure();
      health.noteAnswer();
    }
    expect(health.restsForMs()).toBe(0);
    expect(health.counts()).toEqual({ answered: 9, failed: 18, limited: 0 });
  });

  test('a limit rests as long as it was asked for, whatever was under way, and never for ever', () => {
    const clock = createClock();
    const health = createEndpointHealth(clock.read);
    health.noteLimit(7_000);
    health.noteAnswer();
    health.noteLimit(3_000);
    for (let at = 0; at < 5; at++) health.noteFailure();
    expect([health.status(), health.restsForMs()]).toEqual(['limited', 7_000]);
    clock.pass(7_000);
    expect(health.needsProbe()).toBe(true);
    health.noteLimit(1_000_000_000);
    expect(health.restsForMs()).toBe(120_000);
  });

  test('a limit without a time rests longer each time', () => {
    const clock = createClock();
    const health = createEndpointHealth(clock.read);
    const rests = Array.from({ length: 3 }, () => {
      health.noteLimit(undefined);
      // At the same moment: counts once.
      health.noteLimit(undefined);
      const restsForMs = health.restsForMs();
      clock.pass(restsForMs);
      return restsForMs;
    });
    expect(rests).toEqual([1_000, 2_000, 4_000]);
  });
});

describe('a budget of requests', () => {
  test('gives as many at once as in a second, and then one by one', () => {
    const clock = createClock();
    const budget = createRequestBudget(4, clock.read);
    expect(Array.from({ length: 5 }, () => budget.take())).toEqual([true, true, true, true, false]);
    expect(budget.waitMs()).toBe(250);
    clock.pass(250);
    expect([budget.take(), budget.take()]).toEqual([true, false]);
    clock.pass(60_000);
    expect(Array.from({ length: 5 }, () => budget.take()).filter(Boolean)).toHaveLength(4);
  });

  test('lets those who wait take turns', () => {
    const budget = createRequestBudget(2, createClock().read);
    expect(Array.from({ length: 5 }, () => budget.reserve())).toEqual([0, 0, 500, 1_000, 1_500]);
  });

  test('without a number has no end', () => {
    const budget = createRequestBudget(undefined);
    expect(Array.from({ length: 1_000 }, () => budget.take()).every(Boolean)).toBe(true);
  });
});

test.each([
  ['5', 5_000],
  [' 0 ', 0],
  ['Fri, 02 Jan 2026 00:00:10 GMT', 10_000],
  ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
])('Retry-After: %s', (text, expected) => {
  expect(readRetryAfter(text, Date.parse('2026-01-02T00:00:00Z'))).toBe(expected);
});
