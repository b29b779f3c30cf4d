type Turned = {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly error: unknown;
  readonly hasNextPage: boolean;
};
type Listing = {
  readonly data: Turned['data'];
  readonly fetchNextPage: () => Promise<Turned>;
};

const attempts = 3;

/**
 * Adds the next page to a list. A refresh that comes meanwhile, as after an event, takes the place of the request, which is
 * then made again.
 *
 * @returns the error, if it has failed.
 */
export async function showNext({ data, fetchNextPage }: Listing): Promise<unknown> {
  const known = data?.pages.length ?? 0;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const turned = await fetchNextPage();
    const isLonger = (turned.data?.pages.length ?? 0) > known;
    if (turned.error || isLonger || !turned.hasNextPage) return turned.error;
  }
  return undefined;
}
