import { afterAll, expect, test, vi } from 'vitest';
import { createApiError } from '../../../client/src/errors.ts';

vi.stubGlobal('location', new URL('http://127.0.0.1:3000/console/'));
afterAll(() => vi.unstubAllGlobals());
const { lookAfter } = await import('../../../console/src/service/queries.ts');

const refuse = (retryAfterSeconds: number) =>
  createApiError('wait', { status: 429, code: 'rate_limited', retryAfterSeconds, requestId: 'req_1' });

test('a page looks again as late as the service asks, but within an hour', () => {
  expect(lookAfter(10_000, null)).toBe(10_000);
  expect(lookAfter(10_000, refuse(5))).toBe(10_000);
  expect(lookAfter(10_000, refuse(30))).toBe(30_000);
  expect(lookAfter(10_000, refuse(9_999_999))).toBe(3_600_000);
});
