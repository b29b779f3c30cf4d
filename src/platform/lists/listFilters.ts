import { findTextAfter, foldText } from '../database/foldedText.ts';
import type { SqlParameters } from './sqlParameters.ts';

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Bounds of a point in time, as texts of ISO 8601. */
export type Range = { readonly [Operator in keyof typeof operators]?: string | undefined };

/** One side of a range: the SQL on the right of the operator. */
export type Bound = { readonly operator: (typeof operators)[keyof typeof operators]; readonly value: string };

export function listBounds(range: Range, parameters: SqlParameters): Bound[] {
  return Object.entries(operators).flatMap(([name, operator]) => {
    const value = isOperator(name) ? range[name] : undefined;
    return value === undefined ? [] : [{ operator, value: `${parameters.add(value)}::timestamptz` }];
  });
}

/** The bounds of all texts that begin with a prefix, in either case. */
export function listPrefixBounds(prefix: string | undefined, parameters: SqlParameters): Bound[] {
  if (prefix === undefined || prefix === '') return [];
  const folded = foldText(prefix);
  const after = findTextAfter(folded);
  const from: Bound = { operator: '>=', value: `${parameters.add(folded)}::text` };
  return after === undefined ? [from] : [from, { operator: '<', value: `${parameters.add(after)}::text` }];
}

function isOperator(name: string): name is keyof typeof operators {
  return name in operators;
}
