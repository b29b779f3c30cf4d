import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeAttempt } from '../../../src/worker/deliverer/retrySchedule.ts';

const endedAt = new Date('2026-01-01T00:00:00Z');
const settings = { attempts: 5, backoffMs: 60_000, longestBackoffMs: 3_600_000 };

function pauseAfter(number: number, limit: number | null, attempts = settings.attempts): number | undefined {
  const attempt = { responseStatus: 500, number, limit, endedAt };
  const { nextAttemptAt } = judgeAttempt(attempt, { ...settings, attempts });
  return nextAttemptAt === null ? undefined : (nextAttemptAt.getTime() - endedAt.getTime()) / 1_000;
}

test('the pause doubles from 60 seconds up to an hour, and none follows the last attempt', () => {
  const pauses = Array.from({ length: 10 }, (_, at) => pauseAfter(at + 1, null, 10));
  expect(pauses).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600, undefined]);
});

test('a delivery that was asked for again has as many attempts and the same pauses once more', () => {
  expect([6, 7, 8, 9, 10].map((number) => pauseAfter(number, 10))).toEqual([60, 120, 240, 480, undefined]);
});

test('only no answer and the statuses from 500 to 599 are worth another attempt', () => {
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 100, max: 999 }), { nil: undefined }), (responseStatus) => {
      const { status } = judgeAttempt({ responseStatus, number: 1, limit: null, endedAt }, settings);
      const group = responseStatus === undefined ? 5 : Math.floor(responseStatus / 100);
      expect(status).toBe(group === 2 ? 'succeeded' : group === 5 ? 'retry_pending' : 'failed');
    }),
  );
});
