import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { interrupted, type Listing, showNext } from './showNext.ts';

/** The next page of a list, which its reader asks for. */
export type Next = {
  readonly show: () => void;
  readonly isBusy: boolean;
  /** Why it has not come. */
  readonly error: unknown;
};

type Listed = Omit<Listing, 'isWanted'> & {
  readonly error: Error | null;
  readonly hasNextPage: boolean;
  readonly isFetchNextPageError: boolean;
};
type Press = { readonly isBusy: boolean; readonly error: unknown };

/** How a list with this key goes on. The answer is of no use to another list, or once this one is left. */
export function useNext(
  queryKey: readonly unknown[],
  { data, error, hasNextPage, isFetchNextPageError, fetchNextPage }: Listed,
) {
  const [press, setPress] = useState<Press>();
  const shown = useRef<object>();
  useLayoutEffect(() => {
    setPress(undefined);
    shown.current = {};
    return () => {
      shown.current = undefined;
    };
  }, [JSON.stringify(queryKey), hasNextPage]);
  const show = async () => {
    const { current } = shown;
    const isWanted = () => shown.current === current;
    setPress((last) => ({ isBusy: true, error: last?.error }));
    const fault = await showNext({ data, fetchNextPage, isWanted });
    if (isWanted()) setPress({ isBusy: false, error: fault });
  };
  // It is also the list's, until that has been refreshed.
  const isHanded = isFetchNextPageError || error === press?.error;
  const isShown = isHanded || press?.error === interrupted;
  const next: Next = {
    show: () => void show(),
    isBusy: press?.isBusy ?? false,
    error: isShown ? press?.error : null,
  };
  return {
    /** Of all but the next page, which has its own. */
    error: isHanded ? null : error,
    /** Undefined if there is no more. */
    next: hasNextPage ? next : undefined,
  };
}
