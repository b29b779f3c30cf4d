import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createApiError } from '../../../client/src/errors.ts';
import { followEvents } from '../../../client/src/followEvents.ts';
import { Paged } from '../../../client/src/http/paged.ts';
import type { AgreementEvent } from '../../../client/src/types.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event: AgreementEvent = JSON.parse('{ "id": "evt_1", "type": "agreement.transitioned" }');
const refusal = (retryAfterSeconds: number) =>
  createApiError('Too many calls.', { status: 429, code: 'rate_limited', retryAfterSeconds, requestId: 'x' });

/** A feed with one event. The service has no stream, and refuses the first calls with these waits. */
function openFeed(waits: number[]) {
  const asked: number[] = [];
  const list = () =>
    new Paged<AgreementEvent>(async () => {
      asked.push(Date.now());
      const wait = waits.shift();
      if (wait !== undefined) throw refusal(wait);
      return { data: [event], pageInfo: { limit: 100, nextCursor: 'c' } };
    });
  const open = () => Promise.reject(refusal(1));
  return { asked, list, open };
}

test.each([[61], [3_600], [10_000_000]])(
  'a follower waits as long as the service asks, %i seconds too, and goes on',
  async (wait) => {
    const feed = openFeed([wait]);
    const next = followEvents(feed, {}).next();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(feed.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(wait * 1_000);
    expect(await next).toEqual({ done: false, value: { event, cursor: 'c' } });
  },
);

test('a follower that waits for the service ends without an error when it is aborted', async () => {
  const stopping = new AbortController();
  const feed = openFeed([3_600]);
  const next = followEvents(feed, { signal: stopping.signal }).next();
  await vi.advanceTimersByTimeAsync(60_000);
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(feed.asked).toHaveLength(1);
});
