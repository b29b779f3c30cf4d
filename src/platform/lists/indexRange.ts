import type { Bound } from './listFilters.ts';

/** A point in the order of an index after its key: one SQL value for each of the index's next columns. */
export type IndexPosition = { readonly columns: readonly string[]; readonly values: readonly string[] };

/**
 * Conditions for the entries of one key in an index over `(key, column, …)`, and among them for a range of `column`.
 * They compare rows instead of `key = value`; ARCHITECTURE.md says why. `order by` must name the key before the column.
 *
 * @param value SQL that the planner cannot evaluate: a subquery or a column of an outer query.
 * @param lowest SQL of a value that no value of the column is below.
 * @param position where the page starts: entries after it in `direction`. The scan starts there, not at the range's
 * bound on that side.
 */
export function buildIndexRange({
  key,
  value,
  column,
  lowest,
  bounds = [],
  position,
  direction,
}: {
  key: string;
  value: string;
  column: string;
  lowest: string;
  bounds?: readonly Bound[];
  position?: IndexPosition | undefined;
  direction: 'asc' | 'desc';
}): string[] {
  const compare = ({ operator, value: bound }: Bound) =>
    `(${key}, ${column}) ${operator} (${value}, ${bound})`;
  const isLower = ({ operator }: Bound) => operator.startsWith('>');
  const startsAt = (bound: Bound) => position !== undefined && isLower(bound) === (direction === 'asc');
  const ends = bounds.filter((bound) => !startsAt(bound));
  const lower = ends.filter(isLower).map(compare);
  const upper = ends.filter((bound) => !isLower(bound)).map(compare);
  if (position) {
    const operator = direction === 'asc' ? '>' : '<';
    const names = [key, ...position.columns].join(', ');
    (direction === 'asc' ? lower : upper).push(
      `(${names}) ${operator} (${[value, ...position.values].join(', ')})`,
    );
  }
  if (lower.length === 0) lower.push(compare({ operator: '>=', value: lowest }));
  // The planner would combine two plain comparisons of one column into a narrow range.
  if (upper.length === 0) upper.push(`${key} <= ${value}`);
  const passed = bounds
    .filter(startsAt)
    .map(({ operator, value: bound }) => buildFilter(`${column} ${operator} ${bound}`));
  return [...lower, ...upper, ...passed];
}

/**
 * A condition that is checked row by row. It leads the planner to no other index and hardly changes its
 * estimate. Null counts as false.
 */
export function buildFilter(condition: string): string {
  return `coalesce(${condition}, false)`;
}
