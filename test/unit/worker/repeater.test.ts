import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { createRepeater } from '../../../src/worker/leases/repeater.ts';

const logger = createLogger({ level: 'silent', name: 'test' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Notes when each run begins, in milliseconds; a run takes 10. */
function startRepeater(restShare?: number) {
  const begun: number[] = [];
  const startedAt = performance.now();
  const repeater = createRepeater({
    what: 'work',
    async work() {
      begun.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 10));
    },
    pauseMs: () => undefined,
    ...(restShare !== undefined && { restShare }),
    logger,
  });
  return { repeater, begun };
}

test('what wakes it while it rests is done in one run', async () => {
  const { repeater, begun } = startRepeater(2);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(12);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(6);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(100);
  expect(begun).toEqual([0, 30]);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 30, 118]);
});

test('a wake-up during a run also waits for the rest, which has an end', async () => {
  const { repeater, begun } = startRepeater(100);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(5);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(54);
  expect(begun).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual([0, 60]);
});

test('without a rest it runs again at once, and not after it is closed', async () => {
  const { repeater, begun } = startRepeater();
  repeater.wake();
  await vi.advanceTimersByTimeAsync(5);
  repeater.wake();
  await vi.advanceTimersByTimeAsync(6);
  expect(begun).toHaveLength(2);
  repeater.wake();
  let isClosed = false;
  void repeater.close().then(() => {
    isClosed = true;
  });
  // The second run has not ended yet.
  await vi.advanceTimersByTimeAsync(5);
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(45);
  expect(isClosed).toBe(true);
  expect(begun).toHaveLength(2);
});

test('a run that fails is repeated after growing pauses that no wake-up shortens, and that begin anew', async () => {
  const begun: number[] = [];
  const startedAt = performance.now();
  let isFailing = true;
  const repeater = createRepeater({
    what: 'work',
    async work() {
      begun.push(performance.now() - startedAt);
      if (isFailing) throw new Error('no');
    },
    pauseMs: () => undefined,
    logger,
  });
  const wakeFor = async (ms: number) => {
    repeater.wake();
    await vi.advanceTimersByTimeAsync(ms / 2);
    repeater.wake();
    await vi.advanceTimersByTimeAsync(ms / 2);
    return begun.splice(0);
  };
  expect(await wakeFor(38_000)).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 25_750, 35_750]);
  isFailing = false;
  // A run that had been asked for during a pause is the one at its end.
  expect(await wakeFor(8_000)).toEqual([45_750]);
  expect(await wakeFor(2)).toEqual([46_000, 46_001]);
  isFailing = true;
  expect(await wakeFor(500)).toEqual([46_002, 46_252]);
  await repeater.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun).toEqual([]);
});
