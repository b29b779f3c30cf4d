import { expect, test } from 'vitest';
import { createApiError } from '../../../client/src/errors.ts';
import { planRetry } from '../../../client/src/http/retry.ts';

const refuse = (retryAfterSeconds: number) =>
  createApiError('Too many calls.', { status: 429, code: 'rate_limited', retryAfterSeconds, requestId: 'x' });

test('a service that asks for no wait is still not asked again at once', () => {
  expect(planRetry(refuse(0), 0)).toBeGreaterThanOrEqual(125);
  expect(planRetry(refuse(0), 9)).toBeGreaterThanOrEqual(4_000);
});

test('a wait that the service asks for is kept, up to a minute', () => {
  expect(planRetry(refuse(20), 0)).toBe(20_000);
  expect(planRetry(refuse(61), 0)).toBeUndefined();
});

test('a client that should report soon does not keep a wait that is longer than its own limit', () => {
  expect(planRetry(refuse(5), 0, 5)).toBe(5_000);
  expect(planRetry(refuse(6), 0, 5)).toBeUndefined();
});
