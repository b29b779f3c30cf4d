import { expect, test } from 'vitest';
import { readBatched } from '../../../src/api/evidence/readBatched.ts';

/** Reads a sequence of texts of one length. Returns the number of texts requested each time. */
async function readTexts(total: number, length: number) {
  const asked: number[] = [];
  const read = async (at: number, count: number) => {
    asked.push(count);
    return Array.from({ length: count }, (_, index) => String(at + index).padEnd(length));
  };
  const items: number[] = [];
  let spent = 0;
  const allowance = {
    async spend(amount: number) {
      spent += amount;
    },
  };
  for await (const item of readBatched({ total, read, lengthOf: (text) => text.length, allowance }))
    items.push(Number(item));
  return { asked, items, spent };
}

test('a sequence is read in order, as many at once as are short', async () => {
  const { asked, items, spent } = await readTexts(60, 10);
  expect(items).toEqual(Array.from({ length: 60 }, (_, at) => at));
  expect(asked).toEqual([1, 4, 16, 20, 19]);
  expect(spent).toBe(600);
});

test('of what is long no more than a megabyte is read at once, and at least one', async () => {
  expect((await readTexts(8, 300 * 1024)).asked).toEqual([1, 3, 3, 1]);
  expect((await readTexts(3, 2 * 1024 * 1024)).asked).toEqual([1, 1, 1]);
});
