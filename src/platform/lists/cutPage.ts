/** What there is of a list when one row more than wanted was read. */
export type CutPage<Row> = {
  readonly page: readonly Row[];
  /** Where the next page goes on, if there is one. */
  readonly last: Row | undefined;
  /** How long the list is where the page is all of it. */
  readonly totalCount: number | undefined;
};

export function cutPage<Row>(
  rows: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): CutPage<Row> {
  const page = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    page,
    last: hasMore ? page.at(-1) : undefined,
    totalCount: cursor === undefined && !hasMore ? page.length : undefined,
  };
}
