import type { Field } from './fields.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { FieldType } from './onChain.ts';
import * as Op from './op.ts';
import { parseBound } from './uint256.ts';

export type BoundName = 'min' | 'max' | 'minLength' | 'maxLength';

/** A validation rule that the contract enforces. */
export type Bound = { readonly name: BoundName; readonly op: number; readonly limit: bigint };

/** The rules with an on-chain form, by on-chain type, in the order of their conditions. */
const boundsByType: ReadonlyMap<FieldType, readonly (readonly [BoundName, number])[]> = new Map([
  [
    FieldType.UINT256,
    [
      ['min', Op.UINT_GTE_CONST],
      ['max', Op.UINT_LTE_CONST],
    ],
  ],
  [
    FieldType.STRING,
    [
      ['minLength', Op.STRING_MIN_LENGTH],
      ['maxLength', Op.STRING_MAX_LENGTH],
    ],
  ],
]);

/**
 * Results by rules: all fields that refer to a variable share its rules, and a bound written with a million zeros takes a
 * millisecond to read.
 */
const read = new WeakMap<JsonCursor, readonly Bound[]>();

/** The bounds of a field that apply to its type, in order. Zero is a bound too. */
export function readBounds({ fType, validation }: Pick<Field, 'fType' | 'validation'>): readonly Bound[] {
  const known = read.get(validation);
  if (known !== undefined) return known;
  const bounds = (boundsByType.get(fType) ?? []).flatMap(([name, op]) => {
    const limit = readBound(validation.at(name));
    return limit === undefined ? [] : [{ name, op, limit }];
  });
  read.set(validation, bounds);
  return bounds;
}

function readBound(cursor: JsonCursor): bigint | undefined {
  if (cursor.isAbsent) return undefined;
  const limit = parseBound(cursor.value);
  if (limit === undefined) cursor.refuse('must be a whole number from 0 to 2^256 - 1');
  return limit;
}
