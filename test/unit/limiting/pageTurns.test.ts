import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createPageTurns, type PageTurnsOptions } from '../../../src/api/limiting/pageTurns.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const pageOf = (bytes: number) => new Response('', { headers: { 'content-length': String(bytes) } });

/** Reads that run until they are told to end. */
function createReads(options: PageTurnsOptions = {}) {
  const turns = createPageTurns(options);
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

test('while pages are small, more of an owner are read at a time, and they begin together', async () => {
  const { begun, read, end } = createReads();
  const all = Array.from({ length: 60 }, (_, at) => read(`p${at}`, 'a'));
  await waitUntil('the first have begun', () => begun.length === 4);
  let ended = 0;
  const endNext = () => end(begun[ended++] ?? '', 10);
  // Each small page allows one more read at a time.
  while (ended < 11) {
    const before = begun.length;
    endNext();
    await waitUntil('the next begin', () => begun.length > before);
    expect(begun.length - ended).toBe(4 + ended);
  }
  for (let left = 0; left < 6; left++) endNext();
  await new Promise(setImmediate);
  expect(begun.length - ended).toBe(9);
  endNext();
  await waitUntil('the next begin together', () => begun.length - ended === 16);
  while (ended < 60) {
    endNext();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
});

test('for a minute after a large page, few of its owner are read at a time, however small they are', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    const { turns } = createReads();
    const countTogether = async () => {
      let [running, most] = [0, 0];
      const readOne = () =>
        turns.run('a', async () => {
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          running--;
          return pageOf(10);
        });
      await Promise.all(Array.from({ length: 60 }, readOne));
      return most;
    };
    expect(await countTogether()).toBe(16);
    await turns.run('a', () => pageOf(70_000));
    await vi.advanceTimersByTimeAsync(1_900);
    expect(await countTogether()).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(await countTogether()).toBe(4);
    await vi.advanceTimersByTimeAsync(57_800);
    expect(await countTogether()).toBe(4);
    await vi.advanceTimersByTimeAsync(200);
    expect(await countTogether()).toBe(16);
  } finally {
    vi.useRealTimers();
  }
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

const slowMs = 250;
const answersAtOnce = async () => {};

/** How many of an owner's reads begin at once after one that took long in this way. */
async function countAfter(read: () => Promise<Response>, askDatabase: () => Promise<unknown>) {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const ask = () => askDatabase().finally(resolve);
  const { turns, begun, read: begin, end } = createReads({ askDatabase: ask });
  await turns.run('a', read).catch(() => {});
  // The owner's place is still taken while the database is asked, and during the rest. After a quick read it is not asked.
  await Promise.race([asked, delay(slowMs)]);
  await new Promise(setImmediate);
  const next = ['a1', 'a2', 'a3', 'a4'].map((name) => begin(name, 'a'));
  const other = begin('b1', 'b');
  await new Promise(setImmediate);
  const count = begun.length - 1;
  expect(begun).toContain('b1');
  for (let ended = 0; ended < 5; ended++) {
    await waitUntil('the next begins', () => begun.length > ended);
    end(begun[ended] ?? '', 10);
  }
  await Promise.all([...next, other]);
  return count;
}

test('after a read that kept the database busy its owner rests, and then reads few pages at a time', async () => {
  const slow = () => delay(slowMs, pageOf(10));
  expect(await countAfter(slow, answersAtOnce)).toBe(1);
  const timedOut = () => delay(slowMs).then(() => Promise.reject(new Error('planted')));
  expect(await countAfter(timedOut, answersAtOnce)).toBe(1);
});

test('nobody rests where the database is slow for everybody, or does not answer', async () => {
  const slow = () => delay(slowMs, pageOf(10));
  expect(await countAfter(slow, () => delay(slowMs / 2))).toBe(4);
  expect(await countAfter(slow, () => Promise.reject(new Error('planted')))).toBe(4);
});

test('nobody rests for the time in which the process was busy', async () => {
  const busy = async () => {
    const until = performance.now() + slowMs;
    while (performance.now() < until) await new Promise(setImmediate);
    return pageOf(10);
  };
  expect(await countAfter(busy, answersAtOnce)).toBe(4);
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
