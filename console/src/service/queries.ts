import { MutationCache, QueryCache, QueryClient, useQuery } from '@tanstack/preact-query';
import { UnauthorizedError } from '../../../client/src/index.ts';
import { service } from './client.ts';
import { healAfter } from './pauses.ts';

type Caller = Awaited<ReturnType<typeof service.sessions.current>>;

/** The first parts of the keys of the queries that ask who is logged in: by key, and by wallet. */
const sessionKeys = ['session', 'wallet session'];

/** The client itself retries temporary failures, so nothing is retried here. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => sessionKeys.includes(String(queryKey[0])) || checkSession(error),
  }),
  mutationCache: new MutationCache({ onError: checkSession }),
  // If the browser is offline, a page says so instead of waiting silently.
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: false,
      staleTime: 2_000,
      throwOnError: false,
      refetchInterval: ({ state: { error } }) => healAfter(error),
    },
  },
});

/** A lost session makes the whole console check who is logged in. */
export function checkSession(error: unknown): void {
  if (!(error instanceof UnauthorizedError)) return;
  for (const key of sessionKeys) void queries.invalidateQueries({ queryKey: [key] });
}

/** Whether the last look at a session says that nobody is logged in. */
export function hasSessionEnded(kind: 'session' | 'wallet session'): boolean {
  return queries.getQueryState([kind])?.error instanceof UnauthorizedError;
}

/** The key behind the session, also of one that has just ended. A portal link, which opens one session only, stands for its key. */
export function nameSessionKey(): string | undefined {
  return queries.getQueryData<Caller>(['session'])?.session?.createdByApiKeyId;
}

export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => service.sessions.current({ signal }),
    staleTime: 60_000,
  });
}

/** Whether the session has a scope, such as `agreements.write`. */
export function useMay(scope: 'agreements.read' | 'agreements.write' | 'webhooks.read' | 'webhooks.write') {
  return useSession().data?.scopes[scope] === 'free_allowlist';
}
