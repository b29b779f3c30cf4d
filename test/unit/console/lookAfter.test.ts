import { expect, test } from 'vitest';
import { createApiError } from '../../../client/src/errors.ts';
import { lookAfter } from '../../../console/src/service/pauses.ts';

const refuse = (retryAfterSeconds: number) =>
  createApiError('wait', { status: 429, code: 'rate_limited', retryAfterSeconds, requestId: 'req_1' });

test('a page looks again as late as the service asks, but within an hour', () => {
  expect(lookAfter(10_000, null)).toBe(10_000);
  expect(lookAfter(10_000, refuse(5))).toBe(10_000);
  expect(lookAfter(10_000, refuse(30))).toBe(30_000);
  expect(lookAfter(10_000, refuse(9_999_999))).toBe(3_600_000);
});

test('a page whose look is refused looks again later', () => {
  const facts = { status: 403, code: 'forbidden', requestId: 'req_1' };
  expect(lookAfter(4_000, createApiError('no', facts))).toBe(60_000);
});
