import { expect, test } from 'vitest';
import { isHeadProven } from '../../../src/platform/nodes/readHead.ts';

const head = { number: 8, timestamp: 100n, parentHash: '0x07' };
const parent = { number: '0x7', timestamp: '0x64', parentHash: '0x06' };

test.each([
  ['the block before it', parent, true],
  ['no such block', null, false],
  ['a block of another number', { ...parent, number: '0x6' }, false],
  ['a later block', { ...parent, timestamp: '0x65' }, false],
  ['something else', '0x7', false],
])('a head is believed only with its parent: the node shows %s', async (_, shown, isProven) => {
  const asked: unknown[] = [];
  const ask = async (call: unknown) => {
    asked.push(call);
    return shown;
  };
  expect(await isHeadProven(ask, head)).toBe(isProven);
  expect(asked).toEqual([{ method: 'eth_getBlockByHash', params: ['0x07', false] }]);
});
