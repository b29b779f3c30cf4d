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

const prefixLength = 64;

/** The part of a text of any length that fits into an index, as the indexes of the tables have it. */
export function prefixSql(text: string): string {
  return `left(${text}, ${prefixLength})`;
}

/** Compares a column with a text of any length in a form for which an index over its prefix is good. */
export function equalsText(column: string, value: string, parameters: SqlParameters): string {
  const place = `${parameters.add(value)}::text`;
  return `${prefixSql(column)} = ${prefixSql(place)} and ${column} = ${place}`;
}

function isOperator(name: string): name is keyof typeof operators {
  return name in operators;
}
