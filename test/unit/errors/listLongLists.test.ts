import { expect, test } from 'vitest';
import { listLongLists } from '../../../src/platform/errors/listLongLists.ts';

test('lists with too many items are named, and not looked into', () => {
  const long = Array.from({ length: 3 }, () => [1, 2, 3]);
  const value = { a: [1, 2], b: { c: long }, d: [[], { e: [1, 2, 3] }] };
  const message = 'must have no more than 2 items';
  expect(listLongLists({ path: 'rules', value }, 2)).toEqual([
    { path: 'rules.d.1.e', message },
    { path: 'rules.b.c', message },
  ]);
  expect(listLongLists({ path: '', value: long }, 2)).toEqual([{ path: '', message }]);
});
