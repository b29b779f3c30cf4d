import { QueryCache, QueryClient, useQuery } from '@tanstack/preact-query';
import { UnauthorizedError } from '../../../client/src/index.ts';
import { service } from './client.ts';

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
    queries: { networkMode: 'always', retry: false, staleTime: 2_000, throwOnError: false },
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
