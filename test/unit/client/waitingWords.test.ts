import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sayWaiting } from '../../../client/src/cli/sayWaiting.ts';
import { createTerminal } from './support/runInProcess.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['a person who waits for long is told once what can be stopped', false, 1],
  ['a program is told nothing', true, 0],
])('%s', async (_, isJson, lines) => {
  const { terminal, printed } = createTerminal();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = sayWaiting({ terminal, asJson: () => isJson }, promise);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(printed).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(printed).toHaveLength(lines);
  resolve('mined');
  expect(await waiting).toBe('mined');
});

test('a wait that ends soon, well or not, says nothing', async () => {
  const { terminal, printed } = createTerminal();
  const asJson = () => false;
  expect(await sayWaiting({ terminal, asJson }, Promise.resolve('mined'))).toBe('mined');
  await expect(sayWaiting({ terminal, asJson }, Promise.reject(new Error('refused')))).rejects.toThrow(
    'refused',
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(printed).toEqual([]);
});
