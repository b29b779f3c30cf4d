import { afterEach, expect, test } from 'vitest';
import { startOfDay } from '../../../console/src/parts/startOfDay.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test.each([
  ['UTC', '2026-01-31T00:00:00.000Z'],
  ['America/New_York', '2026-01-31T05:00:00.000Z'],
  ['Pacific/Auckland', '2026-01-30T11:00:00.000Z'],
])("a day begins at midnight of the reader's zone, here %s", (reader, at) => {
  process.env.TZ = reader;
  expect(startOfDay('2026-01-31')).toBe(at);
});

test('what is no day stays, so that the service says what is wrong with it', () => {
  expect(['yesterday', '2026-13-01', ''].map(startOfDay)).toEqual(['yesterday', '2026-13-01', '']);
});
