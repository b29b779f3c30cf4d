import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWalletTurns } from '../../../src/api/limiting/walletTurns.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';

test('one request of all wallets is at work at a time, in turns over wallets', async () => {
  const turns = createWalletTurns();
  const order: string[] = [];
  let atWork = 0;
  const send = (name: string) =>
    turns.run(name.slice(0, 1), async () => {
      atWork++;
      order.push(name);
      await setImmediate();
      expect(atWork).toBe(1);
      atWork--;
      return name;
    });
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
  expect(await Promise.all(names.map(send))).toEqual(names);
  expect(order.indexOf('c1')).toBeLessThan(order.indexOf('a3'));
  expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
});

test('a request that fails gives the place to the next', async () => {
  const turns = createWalletTurns();
  const failed = turns.run('a', () => Promise.reject(new Error('planted')));
  const next = turns.run('b', async () => 'done');
  await expect(failed).rejects.toThrow('planted');
  expect(await next).toBe('done');
});

test('requests beyond the waiting limit are refused, of that wallet only', async () => {
  const turns = createWalletTurns();
  const { promise, resolve } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 101 }, () => turns.run('a', () => promise));
  await expect(turns.run('a', () => promise)).rejects.toThrow(RateLimitedError);
  const other = turns.run('b', () => promise);
  resolve();
  await Promise.all([...taken, other]);
});

test('a request that does not end gives the place to another wallet, and its own wallet waits', async () => {
  const turns = createWalletTurns({ placeMs: 1 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const order: string[] = [];
  const send = async (name: string, work: () => Promise<string>) =>
    order.push(await turns.run(name.slice(0, 1), work));
  const all = [send('a1', () => promise), send('a2', async () => 'a2')];
  await send('b1', async () => 'b1');
  await send('c1', async () => 'c1');
  resolve('a1');
  await Promise.all(all);
  expect(order).toEqual(['b1', 'c1', 'a1', 'a2']);
});
