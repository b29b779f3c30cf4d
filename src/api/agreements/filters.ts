import type { SqlParameters } from './sqlParameters.ts';

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Bounds of a point in time, as texts of ISO 8601. */
export type Range = { readonly [Operator in keyof typeof operators]?: string | undefined };

/** Filters of a list, as SQL: those that are not given let everything pass. */
export function buildFilters(
  table: string,
  filters: {
    readonly equal: Readonly<Record<string, unknown>>;
    readonly ranges: Readonly<Record<string, Range>>;
  },
  parameters: SqlParameters,
): string[] {
  const equal = Object.entries(filters.equal)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => `${table}.${column} = ${parameters.add(value)}`);
  const ranges = Object.entries(filters.ranges).flatMap(([column, range]) =>
    Object.entries(operators).flatMap(([name, operator]) => {
      const value = isOperator(name) ? range[name] : undefined;
      return value === undefined
        ? []
        : [`${table}.${column} ${operator} ${parameters.add(value)}::timestamptz`];
    }),
  );
  return [...equal, ...ranges];
}

function isOperator(name: string): name is keyof typeof operators {
  return name in operators;
}
