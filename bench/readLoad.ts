import { z } from 'zod';
import { createServiceClient } from '../src/api/demo/serviceClient.ts';
import type { DevStack } from '../src/api/dev/devStack.ts';
import { type LoadResult, sendLoad } from './read/sendLoad.ts';

type Read = { readonly method: 'GET'; readonly path: string };

/**
 * What reads all day long would be: the list, and record, state and history of the agreements that it names.
 *
 * @throws Error where there is no agreement to read.
 */
export async function listReads(stack: DevStack): Promise<Read[]> {
  const service = createServiceClient(stack);
  const listed = await service.get('/agreements?limit=100', z.array(z.object({ id: z.string() })));
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
