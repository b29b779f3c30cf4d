import { expect, test } from 'vitest';
import { findRepeatedName } from '../../../src/protocol/repeatedName.ts';

test.each([
  ['one level', '{"a": 1, "b": 2, "a": 3}', { name: 'a', offset: 17 }],
  ['an inner object', '{"a": {"b": [{"c": 1, "c": 2}]}}', { name: 'c', offset: 22 }],
  ['another spelling', '{"content": 1, "\\u0063ontent": 2}', { name: 'content', offset: 15 }],
  ['a value between that looks like a name', '{"a": "\\"b\\": {", "a": 1}', { name: 'a', offset: 18 }],
  ['a name from the prototype', '{"__proto__": 1, "__proto__": 2}', { name: '__proto__', offset: 17 }],
])('a name that an object has twice is found: %s', (_what, json, expected) => {
  expect(findRepeatedName(json)).toEqual(expected);
});

test.each([
  '{"a": {"a": {"a": "a"}}, "b": {"a": 1}}',
  '[{"a": 1}, {"a": 2}, "a", "a"]',
  '{"a": "b", "b": "a", "c": ["a", "a"]}',
  '{"a": "}\\\\", "b": "{\\"a\\": 1, \\"a\\": 2}"}',
  '"a"',
])('names of different objects and values are not the same name: %s', (json) => {
  expect(findRepeatedName(json)).toBeUndefined();
});

test('a long text is read', () => {
  const text = JSON.stringify({ a: 'x\\"'.repeat(3_000_000), b: 'y'.repeat(5_000_000) });
  expect(findRepeatedName(text)).toBeUndefined();
});
