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
  const queues = createTurnQueues<string>({ groupOf: (item) => item.slice(0, 1) });
  queues.add('a', 'a1');
  queues.add('guests of a', 'a2');
  queues.add('b', 'b1');
  expect([queues.take(), queues.take(), queues.take()]).toEqual(['a1', 'b1', undefined]);
  queues.end('a');
  expect([queues.take(), queues.take()]).toEqual(['a2', undefined]);
});

test('a group has one turn, however many owners it has, and serves them by turns', () => {
  const queues = createTurnQueues<string>({ groupOf: (item) => item.slice(0, 1) });
  for (const item of ['a1', 'a2', 'a3']) queues.add('first of a', item);
  queues.add('second of a', 'a4');
  queues.add('third of a', 'a5');
  for (const item of ['b1', 'b2']) queues.add('b', item);
  queues.remove('third of a', 'a5');
  const taken: (string | undefined)[] = [];
  for (const owner of ['first of a', 'b', 'second of a', 'b', 'first of a', 'first of a']) {
    taken.push(queues.take());
    queues.end(owner);
  }
  expect(taken).toEqual(['a1', 'b1', 'a4', 'b2', 'a2', 'a3']);
});

test('of a kind only those are taken whose next item is of that kind', () => {
  const queues = createTurnQueues<string>({ kindOf: (item) => item.slice(1) });
  for (const item of ['1heavy', '2large']) queues.add('a', item);
  queues.add('b', '3large');
  queues.add('c', '4heavy');
  queues.remove('c', '4heavy');
  expect([queues.take('large'), queues.take('large')]).toEqual(['3large', undefined]);
  queues.remove('a', '1heavy');
  expect([queues.take('heavy'), queues.take('large')]).toEqual([undefined, '2large']);
});

test('taking an item looks at the next owner only, however many wait', () => {
  let asked = 0;
  const queues = createTurnQueues<string>({
    kindOf(item) {
      asked++;
      return item;
    },
  });
  for (let at = 0; at < 10_000; at++) queues.add(`owner ${at}`, 'heavy');
  asked = 0;
  expect([queues.take('large'), queues.take('heavy')]).toEqual([undefined, 'heavy']);
  expect(asked).toBeLessThan(3);
});
