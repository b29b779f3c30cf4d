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
  const refused = (status: number) => createApiError('no', { status, code: 'no', requestId: 'req_1' });
  expect(lookAfter(4_000, refused(403))).toBe(60_000);
  expect(lookAfter(4_000, refused(404))).toBe(60_000);
});

test('a page that waits for a session or a deployment looks again as soon as usual', () => {
  const refused = (status: number) => createApiError('no', { status, code: 'no', requestId: 'req_1' });
  expect(lookAfter(4_000, refused(401))).toBe(4_000);
  expect(lookAfter(4_000, refused(409))).toBe(4_000);
});
