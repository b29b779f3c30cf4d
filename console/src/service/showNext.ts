import { texts } from '../texts/texts.ts';

type Turned = {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly error: unknown;
  readonly hasNextPage: boolean;
};
export type Listing = {
  readonly data: Turned['data'];
  readonly fetchNextPage: () => Promise<Turned>;
  /** Whether the list is still shown to whoever asked for its next page. */
  readonly isWanted: () => boolean;
};

const attempts = 3;

/** Every attempt was superseded by a refresh. */
export const interrupted = new Error(texts.moreInterrupted);

/**
 * Adds the next page to a list. A refresh that comes meanwhile, as after an event, takes the place of the request, which is
 * then made again.
 *
 * @returns the error, if it has failed.
 */
export async function showNext({ data, fetchNextPage, isWanted }: Listing): Promise<unknown> {
  const known = data?.pages.length ?? 0;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const turned = await fetchNextPage();
    if (!isWanted()) return undefined;
    const isLonger = (turned.data?.pages.length ?? 0) > known;
    if (turned.error || isLonger || !turned.hasNextPage) return turned.error;
  }
  return interrupted;
}
