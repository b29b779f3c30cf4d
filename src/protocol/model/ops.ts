import { FieldType } from '../onChain.ts';
import * as Op from '../op.ts';

/** The operands of an op about a field, and the name in its refusal. */
export type FieldOp = {
  readonly type: FieldType;
  /** Whether its argument names a stored variable to compare with, instead of the operand itself. */
  readonly readsVariable: boolean;
  /** The op text of `ComparisonFailed`. */
  readonly shownAs: string;
};

/** One more than the last op: this number and higher ones do not decode. */
export const opCount = 18;

/**
 * The deployed contract shows a STRING op by its own name, and every other op by the name of the op that
 * follows it in the language. So do not interpret this text.
 */
export const fieldOps: ReadonlyMap<number, FieldOp> = new Map([
  [Op.STRING_MIN_LENGTH, text('STRING_MIN_LENGTH')],
  [Op.STRING_MAX_LENGTH, text('STRING_MAX_LENGTH')],
  [Op.STRING_EQ_CONST, text('STRING_EQ_CONST')],
  [Op.STRING_EQ_VAR, { ...text('STRING_EQ_VAR'), readsVariable: true }],
  [Op.UINT_EQ_CONST, number('UINT_GT_CONST')],
  [Op.UINT_GT_CONST, number('UINT_GTE_CONST')],
  [Op.UINT_GTE_CONST, number('UINT_LT_CONST')],
  [Op.UINT_LT_CONST, number('UINT_LTE_CONST')],
  [Op.UINT_LTE_CONST, number('UINT_EQ_VAR')],
  [Op.UINT_EQ_VAR, { ...number('UINT_GT_VAR'), readsVariable: true }],
  [Op.UINT_GT_VAR, { ...number('UINT_GTE_VAR'), readsVariable: true }],
  [Op.UINT_GTE_VAR, { ...number('UINT_LT_VAR'), readsVariable: true }],
  [Op.UINT_LT_VAR, { ...number('UINT_LTE_VAR'), readsVariable: true }],
  [Op.UINT_LTE_VAR, { ...number('ADDRESS_EQ_CONST'), readsVariable: true }],
  [Op.ADDRESS_EQ_CONST, { type: FieldType.ADDRESS, readsVariable: false, shownAs: 'ADDRESS_EQ_VAR' }],
  [Op.ADDRESS_EQ_VAR, { type: FieldType.ADDRESS, readsVariable: true, shownAs: 'UNKNOWN_OPERATION' }],
]);

function text(shownAs: string): FieldOp {
  return { type: FieldType.STRING, readsVariable: false, shownAs };
}

function number(shownAs: string): FieldOp {
  return { type: FieldType.UINT256, readsVariable: false, shownAs };
}
