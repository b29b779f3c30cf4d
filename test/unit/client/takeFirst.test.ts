import { expect, test } from 'vitest';
import { takeFirst } from '../../../client/src/cli/takeFirst.ts';
import { Paged } from '../../../client/src/http/paged.ts';

/** A paged list of the numbers below `length`. */
function openList(length: number) {
  const pages: number[] = [];
  const open = (limit: number) =>
    new Paged<number>(async (cursor = '0') => {
      pages.push(limit);
      const start = Number(cursor);
      const data = Array.from({ length: Math.min(limit, length - start) }, (_, at) => start + at);
      const next = start + data.length;
      return { data, pageInfo: { limit, nextCursor: next < length ? String(next) : null } };
    });
  return { pages, open };
}

test.each([
  [3, 10, { taken: 3, hasMore: true, pages: [4] }],
  [10, 10, { taken: 10, hasMore: false, pages: [11] }],
  [100, 250, { taken: 100, hasMore: true, pages: [100, 100] }],
  [500, 250, { taken: 250, hasMore: false, pages: [100, 100, 100] }],
])(
  'of a list the first %i are taken, page after page, and said to be all or not',
  async (count, length, wanted) => {
    const { pages, open } = openList(length);
    const { items, hasMore } = await takeFirst(count, open);
    expect({ taken: items.length, hasMore, pages }).toEqual(wanted);
    expect(items.at(-1)).toBe(items.length - 1);
  },
);
