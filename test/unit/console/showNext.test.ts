import { expect, test } from 'vitest';
import { interrupted, showNext } from '../../../console/src/service/showNext.ts';

const pages = (length: number) => ({ pages: Array.from({ length }, () => ({})) });

/** A list of one page, whose requests for the next one have these ends. */
function turn(ends: readonly { readonly pages: number; readonly error?: unknown }[], isWanted = () => true) {
  let requests = 0;
  const outcome = showNext({
    data: pages(1),
    async fetchNextPage() {
      const end = ends[requests++] ?? { pages: 1 };
      return { data: pages(end.pages), error: end.error ?? null, hasNextPage: true };
    },
    isWanted,
  });
  return outcome.then((error) => ({ error, requests }));
}

test('the next page is asked for again after a refresh, and not after a failure', async () => {
  expect(await turn([{ pages: 1 }, { pages: 2 }])).toEqual({ error: null, requests: 2 });
  const error = new Error('no');
  expect(await turn([{ pages: 1, error }])).toEqual({ error, requests: 1 });
});

test('a page that refreshes keep away ends with a reason', async () => {
  expect(await turn([])).toEqual({ error: interrupted, requests: 3 });
});

test('nobody asks again for a list that was left', async () => {
  expect(await turn([], () => false)).toEqual({ error: undefined, requests: 1 });
});
