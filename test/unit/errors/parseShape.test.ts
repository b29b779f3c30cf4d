import { expect, test } from 'vitest';
import { z } from 'zod';
import { instantShape } from '../../../src/api/shapes/listParameters.ts';
import { parseShape } from '../../../src/platform/errors/parseShape.ts';
import { MalformedError } from '../../../src/platform/errors/serviceError.ts';

const shape = z.strictObject({
  since: instantShape,
  trigger: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('onTransition') }),
    z.strictObject({ type: z.literal('temporal') }),
  ]),
});
const issuesOf = (value: unknown) => {
  const parsed = parseShape(shape, value, 'body');
  return parsed.ok ? [] : parsed.issues.map(({ path, message }) => `${path}: ${message}`);
};
const since = '2026-01-31T12:00:00Z';

test('an unknown kind of a union is answered with the existing kinds', () => {
  expect(issuesOf({ since, trigger: { type: 'cron' } })).toEqual([
    'trigger.type: must be "onTransition" or "temporal"',
  ]);
  expect(issuesOf({ since, trigger: {} })).toEqual(['trigger.type: is missing']);
  expect(issuesOf({ since })).toEqual(['trigger: is missing']);
});

test('a missing instant is called missing, and one whose plus became a space gets the explanation', () => {
  const trigger = { type: 'temporal' };
  const expected = 'since: must be a date and time with a time zone, such as 2026-01-31T12:00:00Z';
  expect(issuesOf({ trigger })).toEqual(['since: is missing']);
  expect(issuesOf({ trigger, since: 'yesterday' })).toEqual([expected]);
  expect(issuesOf({ trigger, since: 1 })).toEqual([expected]);
  expect(issuesOf({ trigger, since: '2026-01-31T12:00:00 01:00' })).toEqual([
    `${expected}; in a URL, write + as %2B`,
  ]);
});

test('an empty list is called empty', () => {
  const list = z.strictObject({ capabilities: z.array(z.string()).min(1) });
  expect(parseShape(list, { capabilities: [] }, 'body')).toEqual({
    ok: false,
    issues: [{ path: 'capabilities', message: 'must not be empty' }],
  });
});

test('an unknown member without a name is told by the path of its object', () => {
  const trigger = { type: 'temporal' };
  expect(issuesOf({ since, trigger, '': 1 })).toEqual([': has a field without a name']);
  expect(issuesOf({ since, trigger: { ...trigger, '': 1 } })).toEqual([
    'trigger: has a field without a name',
  ]);
  expect(parseShape(z.strictObject({}), { '': '' }, 'query')).toEqual({
    ok: false,
    issues: [{ path: '', message: 'has a parameter without a name' }],
  });
});

test('a fault of the whole request has no field', () => {
  expect(new MalformedError('no', { issues: [{ path: '', message: 'must be an object' }] }).field).toBe(
    undefined,
  );
  expect(new MalformedError('no', { issues: [{ path: 'a.b', message: 'is missing' }] }).field).toBe('a.b');
});

test('a value of another type is reported once, and not measured', () => {
  const shape = z.object({ list: z.array(z.string()).min(2).max(3), text: z.string().min(2).max(3) });
  const value = { list: 'history', text: ['a', 'b', 'c', 'd'] };
  expect(parseShape(shape, value, 'body')).toEqual({
    ok: false,
    issues: [
      { path: 'list', message: 'must be an array' },
      { path: 'text', message: 'must be text' },
    ],
  });
});
