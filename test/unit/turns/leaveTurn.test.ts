import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { leaveTurn } from '../../../src/platform/turns/leaveTurn.ts';

/** How many turns of the event loop others get after a step of this length, and for how long. */
async function leaveAfter(spentMs: number): Promise<{ turns: number; ms: number }> {
  let turns = 0;
  let hasEnded = false;
  const beganAt = performance.now();
  const left = leaveTurn(beganAt - spentMs).then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    await setImmediate();
    turns++;
  }
  await left;
  return { turns, ms: performance.now() - beganAt };
}

test('after a short step others have one turn of the event loop, and no more', async () => {
  let others = 0;
  const other = setImmediate().then(() => others++);
  await leaveTurn(performance.now());
  expect(others).toBe(1);
  await other;
  // A timer takes at least one millisecond; a turn that no other work wants takes less.
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 50 && least >= 100; tries++) {
    const beganAt = performance.now();
    for (let count = 0; count < 100; count++) await leaveTurn(performance.now());
    least = Math.min(least, performance.now() - beganAt);
  }
  expect(least).toBeLessThan(100);
});

test('after a long step others have the event loop for twice as long', async () => {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 20; tries++) {
    const { turns, ms } = await leaveAfter(15);
    least = Math.min(least, ms);
    expect(turns).toBeGreaterThan(1);
  }
  expect(least).toBeGreaterThanOrEqual(29);
  expect(least).toBeLessThan(50);
});

test('however long a step took, the next one comes within a twentieth of a second', async () => {
  const { ms } = await leaveAfter(5_000);
  expect(ms).toBeGreaterThanOrEqual(49);
  expect(ms).toBeLessThan(5_000);
});
