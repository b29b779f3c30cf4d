import { expect, test } from 'vitest';
import { createPageTurns } from '../../../src/api/limiting/pageTurns.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const pageOf = (bytes: number) => new Response('', { headers: { 'content-length': String(bytes) } });

/** Reads that are under way until they are told to end. */
function createReads() {
  const turns = createPageTurns();
  const begun: string[] = [];
  const ends = new Map<string, (bytes: number) => void>();
  return {
    begun,
    read: (name: string, owner: string) =>
      turns.run(owner, () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<Response>();
        ends.set(name, (bytes) => resolve(pageOf(bytes)));
        return promise;
      }),
    end: (name: string, bytes: number) => ends.get(name)?.(bytes),
    turns,
  };
}

test('few pages of one owner are read at a time, and another owner does not wait for them', async () => {
  const { begun, read, end } = createReads();
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => read(name, 'a'));
  all.push(read('b1', 'b'));
  await waitUntil('all but one have begun', () => begun.length === 5);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  end('a1', 10);
  await waitUntil('the last begins', () => begun.length === 6);
  for (const name of begun) end(name, 10);
  await Promise.all(all);
});

test('after a large page its owner reads one at a time', async () => {
  const { begun, read, end } = createReads();
  const first = read('large', 'a');
  await waitUntil('it has begun', () => begun.length === 1);
  end('large', 100_000);
  await first;
  const next = ['a1', 'a2'].map((name) => read(name, 'a'));
  await waitUntil('the first of both begins', () => begun.length === 2);
  const other = read('b1', 'b');
  await waitUntil('another owner begins', () => begun.length === 3);
  expect(begun).toEqual(['large', 'a1', 'b1']);
  end('b1', 10);
  end('a1', 10);
  await waitUntil('the second begins', () => begun.length === 4);
  end('a2', 10);
  await Promise.all([...next, other]);
});

test('a read that fails gives its place away', async () => {
  const { turns } = createReads();
  for (let count = 0; count < 10; count++)
    await expect(turns.run('a', () => Promise.reject(new Error('planted')))).rejects.toThrow('planted');
  expect(await turns.run('a', () => pageOf(10))).toBeInstanceOf(Response);
});

test('beyond a number that waits behind large pages, reads are refused, of that owner only', async () => {
  const { turns } = createReads();
  const { promise, resolve } = Promise.withResolvers<Response>();
  const small = Array.from({ length: 200 }, () => turns.run('b', () => promise));
  await turns.run('a', () => pageOf(65_537));
  const taken = Array.from({ length: 100 }, () => turns.run('a', () => promise));
  await expect(turns.run('a', () => promise)).rejects.toThrow(RateLimitedError);
  resolve(pageOf(10));
  await Promise.all([...taken, ...small]);
});
