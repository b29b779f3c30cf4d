import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLargeTurns } from '../../../src/api/limiting/largeTurns.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const large = new Headers({ 'content-length': '32769' });
const small = new Headers({ 'content-length': '32768' });
const patient = { turnMs: 1_000_000 };
const chunked = new Headers({ 'transfer-encoding': 'chunked' });

/** Requests that run until they are told to end. */
function createRequests(options?: { turnMs: number }) {
  const turns = createLargeTurns(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    send(name: string, owner: string, headers = large): Promise<string> {
      return turns.run({ owner, headers }, async () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        await promise;
        return name;
      });
    },
    end: (name: string) => ends.get(name)?.(),
  };
}

test('small requests never wait, and those without a length count as large', async () => {
  const { begun, send, end } = createRequests(patient);
  const first = send('large', 'a');
  const waiting = send('chunked', 'a', chunked);
  const others = ['s1', 's2', 's3'].map((name) => send(name, 'a', small));
  const bodiless = send('none', 'a', new Headers());
  await waitUntil('all but one have begun', () => begun.length === 5);
  expect(begun.toSorted()).toEqual(['large', 'none', 's1', 's2', 's3']);
  for (const name of begun) end(name);
  await Promise.all([first, bodiless, ...others]);
  await waitUntil('the next begins', () => begun.length === 6);
  end('chunked');
  expect(await waiting).toBe('chunked');
});

test('a small request that computes for long waits for its turn like a large one', async () => {
  const turns = createLargeTurns(patient);
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const send = (name: string, owner: string, isHeavy: boolean) =>
    turns.run({ owner, headers: small, isHeavy }, async () => {
      begun.push(name);
      await promise;
    });
  const all = [
    send('a1', 'a', true),
    send('a2', 'a', true),
    send('light', 'a', false),
    send('b1', 'b', true),
  ];
  await waitUntil('all but one have begun', () => begun.length === 3);
  expect(begun.toSorted()).toEqual(['a1', 'b1', 'light']);
  resolve();
  await Promise.all(all);
  expect(begun.at(-1)).toBe('a2');
});

test('whoever computes for long in one request after the other does not rest in between', async () => {
  const turns = createLargeTurns(patient);
  const send = <Answer>(work: () => Promise<Answer>) =>
    turns.run({ owner: 'a', headers: small, isHeavy: true }, work);
  await send(() => setTimeout(80));
  const rested = setTimeout(100, 'rested');
  expect(await Promise.race([send(async () => 'at once'), rested])).toBe('at once');
  await rested;
});

test('of one principal one large request is at work at a time, and another principal passes its queue', async () => {
  const { begun, send, end } = createRequests(patient);
  const all = ['a1', 'a2', 'a3'].map((name) => send(name, 'a'));
  all.push(send('b1', 'b'), send('c1', 'c'));
  await waitUntil('two have begun', () => begun.length === 2);
  expect(begun).toEqual(['a1', 'b1']);
  end('a1');
  await waitUntil('the third begins', () => begun.length === 3);
  // The first principal's second request has waited longer than the third principal's first.
  end('b1');
  await waitUntil('the fourth begins', () => begun.length === 4);
  expect(begun.slice(2).toSorted()).toEqual(['a2', 'c1']);
  for (const name of begun) end(name);
  await waitUntil('the last begins', () => begun.length === 5);
  end('a3');
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
});

test('a request that waits for something else does not delay others for long', async () => {
  const { begun, send, end } = createRequests();
  const all = ['a1', 'a2', 'a3'].map((name) => send(name, 'a'));
  await waitUntil('all have begun, though none has ended', () => begun.length === 3);
  for (const name of begun) end(name);
  await Promise.all(all);
});

test('a request that fails gives its turn away', async () => {
  const turns = createLargeTurns();
  const request = { owner: 'a', headers: large };
  const failed = turns.run(request, () => Promise.reject(new Error('planted')));
  const next = turns.run(request, () => Promise.resolve('done'));
  await expect(failed).rejects.toThrow('planted');
  expect(await next).toBe('done');
});

test('requests beyond the waiting limit are refused, of that principal only', async () => {
  const turns = createLargeTurns(patient);
  const { promise, resolve } = Promise.withResolvers<void>();
  const send = (owner: string) => turns.run({ owner, headers: large }, () => promise);
  const taken = Array.from({ length: 101 }, () => send('a'));
  await expect(send('a')).rejects.toThrow(RateLimitedError);
  const other = send('b');
  resolve();
  await Promise.all([...taken, other]);
});

/** Heavy requests that compute until they are told to end, with a turn of no time for all that comes before. */
function createComputations() {
  const turns = createLargeTurns({ turnMs: 0 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    send(name: string, owner: string): Promise<string> {
      return turns.run({ owner, headers: large, isHeavy: true }, async (compute) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        await compute();
        begun.push(name);
        await promise;
        return name;
      });
    },
    sendLarge: (owner: string) => turns.run({ owner, headers: large }, async () => begun.push('large')),
    end: (name: string) => ends.get(name)?.(),
  };
}

test('whoever computes keeps the turn until the end, one of each sender and two in all', async () => {
  const { begun, send, sendLarge, end } = createComputations();
  const all = [send('a1', 'a'), send('a2', 'a'), send('b1', 'b'), send('c1', 'c')];
  await waitUntil('two compute', () => begun.length === 2);
  // By then a turn of any other request would have ended, and been followed by its rest.
  for (let at = 0; at < 5; at++) await setTimeout(1);
  expect(begun).toEqual(['a1', 'b1']);
  await sendLarge('d');
  expect(begun.splice(2)).toEqual(['large']);
  end('a1');
  await waitUntil('the third computes', () => begun.length === 3);
  end('b1');
  await waitUntil('the fourth computes', () => begun.length === 4);
  expect(begun.slice(2).toSorted()).toEqual(['a2', 'c1']);
  for (const name of begun) end(name);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('a large body waits for a computation of its own sender, and not for one of another', async () => {
  const { begun, send, sendLarge, end } = createComputations();
  const computing = send('a1', 'a');
  await waitUntil('one computes', () => begun.length === 1);
  const own = sendLarge('a');
  await sendLarge('b');
  expect(begun).toEqual(['a1', 'large']);
  end('a1');
  await Promise.all([computing, own]);
  expect(begun).toEqual(['a1', 'large', 'large']);
});

test('a heavy request whose body comes slowly holds nobody up, and computes in another turn', async () => {
  const turns = createLargeTurns({ turnMs: 0 });
  const body = Promise.withResolvers<void>();
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const send = (name: string, arrival: Promise<void>) =>
    turns.run({ owner: 'a', headers: small, isHeavy: true }, async (compute) => {
      await arrival;
      await compute();
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const slow = send('slow', body.promise);
  const quick = send('quick', Promise.resolve());
  await waitUntil('the second computes', () => begun.length === 1);
  expect(begun).toEqual(['quick']);
  body.resolve();
  for (let at = 0; at < 5; at++) await setTimeout(1);
  expect(begun).toEqual(['quick']);
  ends.get('quick')?.();
  await waitUntil('the first computes', () => begun.length === 2);
  ends.get('slow')?.();
  await Promise.all([slow, quick]);
});
