import { expect, test } from 'vitest';
import { byTurns } from '../../../src/platform/turns/byTurns.ts';
import { createTurnQueues } from '../../../src/platform/turns/turnQueues.ts';

test('by turns, each owner has a first before anybody has a second', () => {
  expect(byTurns(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], (item) => item.slice(0, 1))).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'c2',
    'a3',
  ]);
  expect(byTurns([], String)).toEqual([]);
});

test('queues are served by turns, of each owner one item at a time', () => {
  const queues = createTurnQueues<string>();
  for (const item of ['a1', 'a2', 'a3']) queues.add('a', item);
  queues.add('b', 'b1');
  queues.add('b', 'b2');
  queues.remove('b', 'b2');
  expect([queues.take(), queues.take(), queues.take()]).toEqual(['a1', 'b1', undefined]);
  queues.end('a');
  expect([queues.take(), queues.count('a')]).toEqual(['a2', 1]);
  expect(queues.clear()).toEqual(['a3']);
  queues.end('a');
  expect(queues.take()).toBeUndefined();
});

test('of a group of owners, one item is under way at a time, and the others do not wait for it', () => {
  const queues = createTurnQueues<string>((item) => item.slice(0, 1));
  queues.add('a', 'a1');
  queues.add('guests of a', 'a2');
  queues.add('b', 'b1');
  expect([queues.take(), queues.take(), queues.take()]).toEqual(['a1', 'b1', undefined]);
  queues.end('a');
  expect([queues.take(), queues.take()]).toEqual(['a2', undefined]);
});
