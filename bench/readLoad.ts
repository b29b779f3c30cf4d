import type { DevStack } from '../src/cli/dev/devStack.ts';
import { createSingleCallClient } from '../test/support/singleCalls.ts';
import { type LoadResult, sendLoad } from './read/sendLoad.ts';

type Read = { readonly method: 'GET'; readonly path: string };

/**
 * A typical mix of reads: the list, and record, state and history of its agreements.
 *
 * @throws Error if there is no agreement to read.
 */
export async function listReads(stack: DevStack): Promise<Read[]> {
  const { data: listed } = await createSingleCallClient(stack).agreements.list({ limit: 100 });
  if (listed.length === 0) throw new Error('There is no agreement to read: run npm run demo first.');
  const paths = listed.flatMap(({ id }) =>
    ['', '/state', '/inputs'].map((part) => `/v0/agreements/${id}${part}`),
  );
  return ['/v0/agreements', ...paths].map((path) => ({ method: 'GET', path }));
}

export function sendReadLoad(options: {
  stack: DevStack;
  reads: readonly Read[];
  seconds: number;
  connections: number;
}): Promise<LoadResult> {
  const { stack, reads, seconds, connections } = options;
  return sendLoad({
    url: stack.baseUrl,
    connections,
    seconds,
    headers: { 'x-api-key': stack.apiKey },
    requests: [...reads],
  });
}
