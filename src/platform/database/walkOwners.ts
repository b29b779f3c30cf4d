import { type SQL, sql } from 'drizzle-orm';

/**
 * The beginning of a statement: `round` has the first row of each owner, in the owners' order. Each is found by one
 * step in an index that begins with the owner, however many rows that owner has.
 *
 * @param options.owner the expression of the owner, as it stands in the index.
 * @param options.firstOf selects one owner's first row, with the column `owner`, among the rows at a position.
 * @param options.after the owner after whom the walk begins; undefined for the first one.
 * @param options.limit the most owners.
 */
export function walkOwners({
  owner,
  firstOf,
  after,
  limit,
}: {
  owner: SQL;
  firstOf(position: SQL): SQL;
  after: string | undefined;
  limit: number;
}): SQL {
  return sql`
    with recursive round as (
      select first.*, 1 as place from (${firstOf(after === undefined ? sql`true` : sql`${owner} > ${after}`)}) as first
      union all
      select next.*, place + 1 from round cross join lateral (${firstOf(sql`${owner} > round.owner`)}) as next
      where place < ${limit})`;
}
