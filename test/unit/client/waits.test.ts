import { expect, test, vi } from 'vitest';
import {
  AbortedError,
  ChainUnavailableError,
  WaitTimeoutError,
  waitForState,
} from '../../../client/src/index.ts';
import { createScripted, ok, refusal } from './support/scriptedService.ts';

test.each([
  ['answers nothing', 'never' as const, undefined],
  [
    'asks to wait for an hour',
    refusal(503, 'chain_unavailable', { retryAfter: 3_600 }),
    expect.any(ChainUnavailableError),
  ],
  ['answers with another state', ok({ state: 'PING' }), undefined],
])('a wait ends when its time is over, also if the service %s', async (_, reply, cause) => {
  const { client } = createScripted(() => reply);
  const startedAt = performance.now();
  const error = await waitForState(client, 'agr_1', 'PONG', { timeoutMs: 300, pollMs: 50 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WaitTimeoutError);
  expect(error).toHaveProperty('cause', cause);
  // One call alone may take 90 seconds.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('a wait goes on when the service is back', async () => {
  vi.useFakeTimers();
  try {
    const away = refusal(503, 'chain_unavailable', { retryAfter: 61 });
    const { client, requests } = createScripted((__, at) => (at < 2 ? away : ok({ state: 'PONG' })));
    const waiting = waitForState(client, 'agr_1', 'PONG', { timeoutMs: 600_000 });
    await vi.advanceTimersByTimeAsync(130_000);
    expect(await waiting).toEqual({ state: 'PONG' });
    expect(requests).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['a call', 'never' as const],
  ['a pause', ok({ state: 'PING' })],
])('a wait that is aborted in %s says so', async (_, reply) => {
  const stopping = new AbortController();
  const { client, requests } = createScripted(() => reply);
  const waiting = waitForState(client, 'agr_1', 'PONG', { signal: stopping.signal, pollMs: 60_000 });
  await vi.waitUntil(() => requests.length > 0);
  // Let the answer arrive.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  stopping.abort();
  await expect(waiting).rejects.toBeInstanceOf(AbortedError);
});
