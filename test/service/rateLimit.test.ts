import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLeasedBucket } from '../../src/api/limiting/leasedBucket.ts';
import { createRateLimiter } from '../../src/api/limiting/rateLimiter.ts';
import { takeTokens } from '../../src/api/limiting/takeTokens.ts';
import { createKey } from '../../src/records/principals/apiKeys.ts';
import { type Answer, createCall } from './support/call.ts';
import { outcome } from './support/outcome.ts';
import { startTestApi, startTestService, type TestApi, type TestService } from './support/testService.ts';

const list = '/v0/agreements';
const validate = '/v0/agreements/validate-template';
/** Unset: the service uses its default limits. */
const defaults = { RATE_LIMIT_READS: '', RATE_LIMIT_WRITES: '' };

let service: TestService;
let second: TestApi;
beforeAll(async () => {
  service = await startTestService({ env: defaults });
  second = await startTestApi(service.databaseUrl, { env: defaults });
});
afterAll(async () => {
  await second?.close();
  await service?.close();
});

/**
 * Sends all calls at once, alternating between both replicas. Returns how many were admitted, and how long it
 * took.
 */
async function callBoth(count: number, { key, method, path }: { key: string; method: string; path: string }) {
  const calls = [service, second].map(({ baseUrl }) => createCall(baseUrl, key));
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: count }, (_, turn) => calls[turn % 2]?.(method, path, {})),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const refused = answers.filter((answer) => answer?.status === 429);
  return { admitted: count - refused.length, refused, seconds };
}

const limitHeaders = ({ headers }: Answer) => ({
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
});

describe('two replicas', () => {
  test.each([
    ['reads', 'GET', list, { burst: 100, perSecond: 50 }],
    ['writes', 'POST', validate, { burst: 20, perSecond: 10 }],
  ])('together admit no more %s of a principal than its bucket holds', async (_, method, path, rate) => {
    const { key } = await service.createPrincipal();
    const { admitted, refused, seconds } = await callBoth(rate.burst * 3, { key, method, path });
    expect(admitted).toBeGreaterThanOrEqual(rate.burst);
    expect(admitted).toBeLessThanOrEqual(rate.burst + rate.perSecond * (seconds + 0.1));
    for (const answer of refused) {
      expect(answer && outcome(answer)).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer?.headers.get('ratelimit')).toMatch(/^"(read|write)";r=0;t=\d+$/);
    }
  });

  test('admit a principal after the reported wait', async () => {
    const { key, call } = await service.createPrincipal();
    const { refused } = await callBoth(200, { key, method: 'GET', path: list });
    await delay(Number(refused[0]?.headers.get('retry-after')) * 1000);
    expect((await call('GET', list)).status).toBe(200);
  });
});

describe('a principal', () => {
  test('that has nothing left takes nothing from another one, nor from its own requests of the other kind', async () => {
    const greedy = await service.createPrincipal();
    const modest = await service.createPrincipal();
    const { refused } = await callBoth(300, { key: greedy.key, method: 'POST', path: validate });
    expect(refused.length).toBeGreaterThan(0);
    expect((await greedy.call('GET', list)).status).toBe(200);
    expect((await modest.call('POST', validate, { body: {} })).status).not.toBe(429);
  });

  test('has one bucket for all of its keys', async () => {
    const { id, key } = await service.createPrincipal();
    const { database } = service.handle;
    const other = await createKey(database, { principal: id, environment: 'testnet' });
    const call = createCall(second.baseUrl, other.key);
    const [{ admitted, seconds }, answers] = await Promise.all([
      callBoth(40, { key, method: 'POST', path: validate }),
      Promise.all(Array.from({ length: 40 }, () => call('POST', validate))),
    ]);
    const others = answers.filter(({ status }) => status !== 429).length;
    expect(admitted + others).toBeLessThanOrEqual(20 + 10 * (seconds + 1));
  });
});

describe('the headers of an answer', () => {
  test('report the quota and what is left of it', async () => {
    const { call } = await service.createPrincipal();
    expect(limitHeaders(await call('GET', list))).toEqual({
      policy: '"read";q=100;w=2',
      limit: '"read";r=99;t=1',
    });
    expect(limitHeaders(await call('POST', validate, { body: {} }))).toEqual({
      policy: '"write";q=20;w=2',
      limit: '"write";r=19;t=1',
    });
  });

  test('do so whatever the answer is, as long as the caller is known', async () => {
    const { call } = await service.createPrincipal();
    const { call: callOther } = await service.createPrincipal(['webhooks.read']);
    const answers = [
      await call('GET', '/v0/agreements/agr_1'),
      await call('GET', '/v0/agreements?colour=red'),
      await callOther('GET', list),
      await call('HEAD', list),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 403, 200]);
    for (const answer of answers) {
      expect(limitHeaders(answer)).toEqual({
        policy: '"read";q=100;w=2',
        // If the answer is slow, the bucket is full again.
        limit: expect.stringMatching(/^"read";r=(9[5-9];t=1|100;t=0)$/),
      });
    }
  });

  test('say nothing to a caller that is not known', async () => {
    const answer = await createCall(service.baseUrl)('GET', list);
    expect([answer.status, limitHeaders(answer)]).toEqual([401, { policy: null, limit: null }]);
  });
});

describe('limiters of several processes', () => {
  const rate = { perSecond: 200, burst: 60 };

  test('never admit more in any span of time than the bucket and what flows in, and a tenth of a second more', async () => {
    const pools = Array.from(
      { length: 3 },
      () => new pg.Pool({ connectionString: service.databaseUrl, max: 2 }),
    );
    const limiters = pools.map((pool) => createRateLimiter({ pool, rates: { read: rate, write: rate } }));
    const { id } = await service.createPrincipal();
    const admitted: { start: number; end: number }[] = [];
    const ask = async (turn: number) => {
      const start = performance.now();
      const admission = await limiters[turn % limiters.length]?.admit(id, 'read');
      if (admission?.isAdmitted) admitted.push({ start, end: performance.now() });
    };
    // Calm phases, in which limiters take leases and the bucket fills up, each followed by a burst.
    for (let round = 0; round < 6; round++) {
      for (let turn = 0; turn < 12; turn++) {
        await ask(turn);
        await delay(5);
      }
      await Promise.all(Array.from({ length: 150 }, (_, turn) => ask(turn)));
      await delay(round * 60);
    }
    await Promise.all(pools.map((pool) => pool.end()));

    expect(admitted.length).toBeGreaterThan(rate.burst);
    for (const { start: from } of admitted)
      for (const { end: to } of admitted) {
        const within = admitted.filter(({ start, end }) => start >= from && end <= to).length;
        if (to < from) continue;
        const most = rate.burst + (rate.perSecond * (to - from + 100)) / 1000;
        if (within > most) expect.fail(`${within} requests in ${to - from} ms, and ${most} are the most`);
      }
  });

  test('ask the database seldom where much is allowed', async () => {
    const { pool } = service.handle;
    const { id: principalId } = await service.createPrincipal();
    const generous = { perSecond: 1_000_000, burst: 2_000_000 };
    let takings = 0;
    const bucket = createLeasedBucket({
      rate: generous,
      take: (demand) => {
        takings++;
        return takeTokens(pool, { principalId, kind: 'read', rate: generous, ...demand });
      },
    });
    const admissions = await Promise.all(
      Array.from({ length: 50 }, async () => {
        for (let turn = 0; turn < 100; turn++) if (!(await bucket.admit()).isAdmitted) return false;
        return true;
      }),
    );
    expect(admissions).not.toContain(false);
    // At most one take for all callers that wait. On a busy machine, tokens taken ahead may expire before
    // use.
    expect(takings).toBeLessThan(250);
  });
});
