import { useInfiniteQuery } from '@tanstack/preact-query';
import { healAfter, lookAfter, mayPass } from './pauses.ts';
import { useNext } from './useNext.ts';

type Page<Row> = {
  readonly data: readonly Row[];
  readonly pageInfo: { readonly nextCursor: string | null };
};

type Listed<Row> = {
  readonly queryKey: readonly unknown[];
  readonly list: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;
  /** Between two refreshes; without it the list is read once, and again after a failure. */
  readonly lookMs?: number;
};

/** Longer lists are not refreshed automatically: each page costs a request. */
const refreshedPages = 4;

/** A list that is shown page after page: its rows so far, and how to get more. */
export function usePages<Row>({ queryKey, list, lookMs }: Listed<Row>) {
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => list(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pageInfo }) => pageInfo.nextCursor ?? undefined,
    refetchInterval: ({ state: { data: known, error: fault } }) =>
      lookMs !== undefined && (known?.pages.length ?? 0) <= refreshedPages
        ? lookAfter(lookMs, fault)
        : healAfter(fault),
  });
  return {
    /** Undefined until the first page is there. */
    rows: pages.data?.pages.flatMap((page) => page.data),
    /** Undefined if it would not help: a narrowed session, for example, never reads some lists. */
    retry: mayPass(pages.error) ? () => void pages.refetch() : undefined,
    ...useNext(queryKey, pages),
  };
}
