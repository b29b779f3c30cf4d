import { expect, test } from 'vitest';
import { faultPath } from '../../../src/platform/errors/faultPath.ts';

test('names are joined with dots', () => {
  expect(faultPath(['agreement', 'inputs', 0, 'a b'])).toBe('agreement.inputs.0.a b');
  expect(faultPath([])).toBe('');
});

test('a name of 300 characters stays, a longer one is cut', () => {
  expect(faultPath(['a', 'x'.repeat(300)])).toBe(`a.${'x'.repeat(300)}`);
  expect(faultPath(['a', 'x'.repeat(301), 'b'])).toBe(`a.${'x'.repeat(299)}….b`);
});

test('a path has at most 1,000 characters, and whole ones', () => {
  const path = faultPath(Array(65).fill('x'.repeat(100)));
  expect(path).toHaveLength(1_000);
  expect(path.endsWith('…')).toBe(true);
  expect(faultPath([`${'x'.repeat(298)}😀y`]).isWellFormed()).toBe(true);
});
