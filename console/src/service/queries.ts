import { QueryCache, QueryClient, useQuery } from '@tanstack/preact-query';
import { ApiError, UnauthorizedError } from '../../../client/src/index.ts';
import { service } from './client.ts';

const healMs = 4_000;
const tooManyRequests = 429;

/** Whether the same question may be answered a little later. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.status === tooManyRequests;
}

/** The client retries by itself what may pass, so nothing is asked twice here. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      // Whatever finds the session gone has the whole console ask who is there.
      if (error instanceof UnauthorizedError && query.queryKey[0] !== 'session')
        void queries.invalidateQueries({ queryKey: ['session'] });
    },
  }),
  // Where the browser is offline a page says so, instead of waiting without a word.
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: false,
      staleTime: 2_000,
      throwOnError: false,
      // What the service could not answer is asked again until it can: a page heals without its reader.
      refetchInterval: ({ state: { error } }) => (error && mayPass(error) ? healMs : false),
    },
  },
});

export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => service.sessions.current({ signal }),
    staleTime: 60_000,
  });
}

/** Whether the session may use a scope, such as `agreements.write`. */
export function useMay(scope: 'agreements.read' | 'agreements.write' | 'webhooks.read' | 'webhooks.write') {
  return useSession().data?.scopes[scope] === 'free_allowlist';
}
