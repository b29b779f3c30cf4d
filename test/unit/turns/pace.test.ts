import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace, type Pace } from '../../../src/platform/turns/pace.ts';

function compute(ms: number): void {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
}

/** Works in steps. Returns the number of event loop turns that others got meanwhile, and the total time. */
async function work(pace: Pace, { steps, stepMs }: { steps: number; stepMs: number }) {
  let turns = 0;
  let hasEnded = false;
  const others = (async () => {
    while (!hasEnded) {
      await setImmediate();
      turns++;
    }
  })();
  const beganAt = performance.now();
  for (let step = 0; step < steps; step++) {
    compute(stepMs);
    await pace.breathe();
  }
  const ms = performance.now() - beganAt;
  hasEnded = true;
  await others;
  return { turns, ms };
}

/** Blocks the event loop again and again until stopped. */
function hold(ms: number): () => Promise<void> {
  let isStopped = false;
  const holding = (async () => {
    while (!isStopped) {
      compute(ms);
      await setImmediate();
    }
  })();
  return async () => {
    isStopped = true;
    await holding;
  };
}

test('others have the event loop after each slice of work, and not after every step', async () => {
  const { turns, ms } = await work(createPace(), { steps: 100, stepMs: 1 });
  expect(turns).toBeGreaterThanOrEqual(5);
  // A slice takes at least ten milliseconds, and other work gets one or two turns after each.
  expect(turns).toBeLessThan(2 * (ms / 10) + 10);
});

test('what the work itself took is told without what others took', async () => {
  const pace = createPace();
  const stop = hold(20);
  const { ms } = await work(pace, { steps: 10, stepMs: 11 });
  const spentMs = pace.spentMs();
  await stop();
  expect(spentMs).toBeGreaterThanOrEqual(100);
  // Other work blocked the loop for twice as long as this work took.
  expect(spentMs).toBeLessThan(0.7 * ms);
});

test('patient work rests while others are at work, and does not where nobody is', async () => {
  const steps = { steps: 10, stepMs: 11 };
  const stop = hold(3);
  const patient = await work(createPace({ areOthersWaiting: () => false }), steps);
  await stop();
  // Ten slices, and a rest after each that is as long.
  expect(patient.ms).toBeGreaterThanOrEqual(200);
  let least = Number.POSITIVE_INFINITY;
  // Other load on the machine may take the processor away, which looks like others at work: one turn without that is
  // enough.
  for (let tries = 0; tries < 200 && least >= 9; tries++) least = Math.min(least, await breatheOnce());
  // A rest takes ten milliseconds.
  expect(least).toBeLessThan(9);
});

test('patient work rests for as long as it worked while requests arrive', async () => {
  const { ms } = await work(createPace({ areOthersWaiting: () => true }), { steps: 5, stepMs: 30 });
  expect(ms).toBeGreaterThanOrEqual(290);
});

/** The time that patient work leaves to others after a slice, in milliseconds. */
async function breatheOnce(): Promise<number> {
  const pace = createPace({ areOthersWaiting: () => false });
  compute(11);
  const leftAt = performance.now();
  await pace.breathe();
  return performance.now() - leftAt;
}
