/** A page, from a query that reads one row more than requested. */
export type CutPage<Row> = {
  readonly page: readonly Row[];
  /** The position of the next page, if there is one. */
  readonly last: Row | undefined;
  /** The length of the list, if the page holds all of it. */
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
