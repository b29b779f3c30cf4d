import { expect, test } from 'vitest';
import { MalformedError, RefusedError } from '../../../src/platform/errors/serviceError.ts';
import { describeError } from '../../../src/platform/http/errorResponse.ts';
import { listIssues } from '../../../src/protocol/issueList.ts';

const issue = { path: 'chainId', message: 'is missing' };

test('a message says the first fault in one sentence, and the number of others', () => {
  const messageOf = (...issues: { path: string; message: string }[]) =>
    describeError(new MalformedError('The body is not as expected.', { issues })).message;
  expect(messageOf(issue)).toBe('The body is not as expected: chainId is missing.');
  expect(messageOf(issue, issue, issue)).toBe(
    'The body is not as expected: chainId is missing (and 2 more).',
  );
  expect(messageOf({ path: '', message: 'must be an object' })).toBe(
    'The body is not as expected: must be an object.',
  );
  expect(messageOf()).toBe('The body is not as expected.');
});

test('a message tells no wrong number of others, if not all of them are listed', () => {
  const messageOf = (count: number) => {
    const names = Array.from({ length: count }, (_, at) => ({ path: `a${at}`, message: 'is missing' }));
    return describeError(new MalformedError('The query is not as expected.', { issues: listIssues(names) }))
      .message;
  };
  expect(messageOf(100)).toBe('The query is not as expected: a0 is missing (and 99 more).');
  expect(messageOf(101)).toBe('The query is not as expected: a0 is missing (and at least 100 more).');
  expect(messageOf(500)).toBe('The query is not as expected: a0 is missing (and at least 100 more).');
});

test('a refusal says so too, and keeps its details', () => {
  const refusal = new RefusedError('invalid_values', 'The values do not fit.', { issues: [issue] });
  expect(describeError(refusal)).toMatchObject({
    status: 400,
    message: 'The values do not fit: chainId is missing.',
    details: { reason: 'invalid_values', issues: [issue] },
  });
});

test('a message stays short, however long a path is that a caller has sent', () => {
  const { message } = describeError(
    new MalformedError('The body is not as expected.', {
      issues: [{ path: '😀'.repeat(10_000), message: 'x' }],
    }),
  );
  expect(message.length).toBeLessThan(400);
  expect(message.isWellFormed()).toBe(true);
});

test('a request that a deadlock has ended may be repeated', () => {
  const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  expect(describeError(new Error('Failed query', { cause: deadlock }))).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
});
