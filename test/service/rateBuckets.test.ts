import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetBuckets } from '../../src/api/limiting/forgetBuckets.ts';
import { takeTokens } from '../../src/api/limiting/takeTokens.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

test('buckets that nobody has used for a day are deleted, and others are not', async () => {
  const { pool } = service.handle;
  const rate = { perSecond: 0.000_001, burst: 10 };
  const take = (principalId: string) =>
    takeTokens(pool, { principalId, kind: 'read', rate, needed: 4, ahead: 0 });
  for (const name of ['old', 'new']) await take(name);
  await pool.query(
    `update service.rate_buckets set updated_at = now() - interval '25 hours' where principal_id = 'old'`,
  );
  expect(await forgetBuckets(pool)).toBe(1);
  expect(await take('old')).toEqual({ granted: 4, left: 6 });
  expect((await take('new')).left).toBeCloseTo(2);
});

test('however many there are, all of them go', async () => {
  const { pool } = service.handle;
  await pool.query(
    `insert into service.rate_buckets (principal_id, kind, tokens, granted, updated_at)
     select 'link ' || at, 'read', 1, 1, now() - interval '2 days' from generate_series(1, 2500) at`,
  );
  expect(await forgetBuckets(pool)).toBe(2_500);
});
