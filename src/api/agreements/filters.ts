import type { SqlParameters } from './sqlParameters.ts';

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Bounds of a point in time, as texts of ISO 8601. */
export type Range = { readonly [Operator in keyof typeof operators]?: string | undefined };

/** Bounds of a column, as SQL: those that are not given let everything pass. */
export function buildRange(column: string, range: Range, parameters: SqlParameters): string[] {
  return Object.entries(operators).flatMap(([name, operator]) => {
    const value = isOperator(name) ? range[name] : undefined;
    return value === undefined ? [] : [`${column} ${operator} ${parameters.add(value)}::timestamptz`];
  });
}

function isOperator(name: string): name is keyof typeof operators {
  return name in operators;
}
