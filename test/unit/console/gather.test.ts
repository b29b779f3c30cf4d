import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gather } from '../../../console/src/service/gather.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What was handed over, turn by turn. */
function record() {
  const turns: (readonly number[])[] = [];
  let finish: (() => void) | undefined;
  const handOver = (items: readonly number[]) => {
    turns.push(items);
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const gathered = gather({ restMs: 1_000, handOver });
  return { turns, gathered, finish: () => finish?.() };
}

test('the first item is handed over at once, later ones together after the rest', async () => {
  const { turns, gathered, finish } = record();
  gathered.add(1);
  expect(turns).toEqual([[1]]);
  finish();
  gathered.add(2);
  gathered.add(3);
  await vi.advanceTimersByTimeAsync(999);
  expect(turns).toEqual([[1]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(turns).toEqual([[1], [2, 3]]);
});

test('a turn that takes longer than the rest is waited for, however many items come', async () => {
  const { turns, gathered, finish } = record();
  gathered.add(1);
  for (let item = 2; item < 100; item++) {
    gathered.add(item);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(turns).toEqual([[1]]);
  finish();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(turns.map(({ length }) => length)).toEqual([1, 98]);
});

test('after a rest without items the next one is handed over at once', async () => {
  const { turns, gathered, finish } = record();
  gathered.add(1);
  finish();
  await vi.advanceTimersByTimeAsync(1_000);
  gathered.add(2);
  expect(turns).toEqual([[1], [2]]);
});

test('nothing is handed over once it has stopped', async () => {
  const { turns, gathered, finish } = record();
  gathered.add(1);
  gathered.add(2);
  gathered.stop();
  finish();
  gathered.add(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(turns).toEqual([[1]]);
});
