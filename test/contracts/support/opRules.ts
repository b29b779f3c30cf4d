import type { Hex } from 'viem';
import { accounts } from './chain.ts';
import {
  addressField,
  type DataField,
  encodeAddress,
  encodeText,
  encodeUint,
  type FieldTypeName,
  id,
  type OpName,
  textField,
  uintField,
} from './language.ts';

const one = accounts.owner.address;
const other = accounts.stranger.address;

/** The values of the field `value` that an op accepts and refuses, and the op's text in its error. */
export interface OpRule {
  op: OpName;
  type: FieldTypeName;
  operand: Hex;
  variable?: DataField;
  passing: DataField[];
  failing: DataField[];
  textInError: string;
}

const texts = (...values: string[]) => values.map((value) => textField('value', value));
const uints = (...values: bigint[]) => values.map((value) => uintField('value', value));
const addresses = (...values: Hex[]) => values.map((value) => addressField('value', value));
const ten = encodeUint(10n);
const maximum = 2n ** 256n - 1n;

/** The ops that compare with a constant. */
export const constantRules: OpRule[] = [
  // é is two bytes: five characters, six bytes
  {
    op: 'STRING_MIN_LENGTH',
    type: 'STRING',
    operand: encodeUint(6n),
    passing: texts('éclat', '123456'),
    failing: texts('', 'eclat'),
    textInError: 'STRING_MIN_LENGTH',
  },
  {
    op: 'STRING_MAX_LENGTH',
    type: 'STRING',
    operand: encodeUint(5n),
    passing: texts('', 'eclat'),
    failing: texts('éclat', '123456'),
    textInError: 'STRING_MAX_LENGTH',
  },
  {
    op: 'STRING_EQ_CONST',
    type: 'STRING',
    operand: encodeText('yes'),
    passing: texts('yes'),
    failing: texts('', 'Yes', 'yes '),
    textInError: 'STRING_EQ_CONST',
  },
  {
    op: 'UINT_EQ_CONST',
    type: 'UINT256',
    operand: ten,
    passing: uints(10n),
    failing: uints(9n, 11n),
    textInError: 'UINT_GT_CONST',
  },
  {
    op: 'UINT_GT_CONST',
    type: 'UINT256',
    operand: ten,
    passing: uints(11n, maximum),
    failing: uints(0n, 10n),
    textInError: 'UINT_GTE_CONST',
  },
  {
    op: 'UINT_GTE_CONST',
    type: 'UINT256',
    operand: ten,
    passing: uints(10n, maximum),
    failing: uints(0n, 9n),
    textInError: 'UINT_LT_CONST',
  },
  {
    op: 'UINT_LT_CONST',
    type: 'UINT256',
    operand: ten,
    passing: uints(0n, 9n),
    failing: uints(10n, maximum),
    textInError: 'UINT_LTE_CONST',
  },
  {
    op: 'UINT_LTE_CONST',
    type: 'UINT256',
    operand: ten,
    passing: uints(0n, 10n),
    failing: uints(11n, maximum),
    textInError: 'UINT_EQ_VAR',
  },
  {
    op: 'ADDRESS_EQ_CONST',
    type: 'ADDRESS',
    operand: encodeAddress(one),
    passing: addresses(one),
    failing: addresses(other),
    textInError: 'ADDRESS_EQ_VAR',
  },
];

const textVariable = textField('variable', 'yes');
const uintVariable = uintField('variable', 10n);
const addressVariable = addressField('variable', one);
const variableId = id('variable');

/** The ops that compare with the stored variable `variable`. */
export const variableRules: OpRule[] = [
  {
    op: 'STRING_EQ_VAR',
    type: 'STRING',
    operand: variableId,
    variable: textVariable,
    passing: texts('yes'),
    failing: texts('', 'no'),
    textInError: 'STRING_EQ_VAR',
  },
  {
    op: 'UINT_EQ_VAR',
    type: 'UINT256',
    operand: variableId,
    variable: uintVariable,
    passing: uints(10n),
    failing: uints(9n, 11n),
    textInError: 'UINT_GT_VAR',
  },
  {
    op: 'UINT_GT_VAR',
    type: 'UINT256',
    operand: variableId,
    variable: uintVariable,
    passing: uints(11n),
    failing: uints(9n, 10n),
    textInError: 'UINT_GTE_VAR',
  },
  {
    op: 'UINT_GTE_VAR',
    type: 'UINT256',
    operand: variableId,
    variable: uintVariable,
    passing: uints(10n, 11n),
    failing: uints(9n),
    textInError: 'UINT_LT_VAR',
  },
  {
    op: 'UINT_LT_VAR',
    type: 'UINT256',
    operand: variableId,
    variable: uintVariable,
    passing: uints(9n),
    failing: uints(10n, 11n),
    textInError: 'UINT_LTE_VAR',
  },
  {
    op: 'UINT_LTE_VAR',
    type: 'UINT256',
    operand: variableId,
    variable: uintVariable,
    passing: uints(9n, 10n),
    failing: uints(11n),
    textInError: 'ADDRESS_EQ_CONST',
  },
  {
    op: 'ADDRESS_EQ_VAR',
    type: 'ADDRESS',
    operand: variableId,
    variable: addressVariable,
    passing: addresses(one),
    failing: addresses(other),
    textInError: 'UNKNOWN_OPERATION',
  },
];
