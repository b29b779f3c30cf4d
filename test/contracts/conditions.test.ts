import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWithInput, submission } from './support/agreement.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';
import {
  addressField,
  boolField,
  bytes32Field,
  condition,
  type DataField,
  dataField,
  declare,
  encodeUint,
  type FieldTypeName,
  id,
  type OpName,
  textField,
  uintField,
} from './support/language.ts';
import { constantRules, variableRules } from './support/opRules.ts';
import { customError, reason, withoutData } from './support/reverts.ts';

const ten = encodeUint(10n);
const uints = (...values: bigint[]) => values.map((value) => uintField('value', value));

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

describe.each([...constantRules, ...variableRules])('$op', (rule) => {
  const { op, type, operand, variable, passing, failing, textInError } = rule;
  const parts = { fields: [declare('value', type)], conditions: [condition(op, 'value', operand)] };

  it(`accepts what holds and refuses the rest as ${textInError}`, async () => {
    const agreement = await createWithInput(chain, parts, variable ? [variable] : []);
    for (const value of passing) {
      expect(await chain.findRevertData(submission(agreement, 'act', [value]))).toBeNull();
    }
    const refusal = customError('ComparisonFailed(string op, string fieldType)', textInError, type);
    for (const value of failing) {
      expect(await chain.findRevertData(submission(agreement, 'act', [value]))).toBe(refusal);
    }
  });

  it('refuses a field of any other type', async () => {
    for (const value of oneOfEachType.filter(({ name }) => name !== type)) {
      const fields = [declare('value', value.name)];
      const agreement = await createWithInput(chain, { ...parts, fields }, variable ? [variable] : []);
      expect(await chain.findRevertData(submission(agreement, 'act', [value.field]))).toBe(
        typeMismatch(type, value.name),
      );
    }
  });
});

describe.each(variableRules)('the variable of $op', ({ op, type, operand, passing }) => {
  const parts = { fields: [declare('value', type)], conditions: [condition(op, 'value', operand)] };

  it('must have a value', async () => {
    const agreement = await createWithInput(chain, parts);
    const refusal = customError('VarNotSet(bytes32 fieldId)', id('variable'));
    expect(await chain.findRevertData(submission(agreement, 'act', passing.slice(0, 1)))).toBe(refusal);
  });

  it('must be of the type that is compared', async () => {
    const agreement = await createWithInput(chain, parts, [boolField('variable', true)]);
    const refusal = typeMismatch(type, 'BOOL');
    expect(await chain.findRevertData(submission(agreement, 'act', passing.slice(0, 1)))).toBe(refusal);
  });

  it('is looked at after the type of the field', async () => {
    const agreement = await createWithInput(chain, { ...parts, fields: [declare('value', 'BOOL')] });
    const submitted = submission(agreement, 'act', [boolField('value', true)]);
    expect(await chain.findRevertData(submitted)).toBe(typeMismatch(type, 'BOOL'));
  });
});

describe('conditions', () => {
  it('are checked in the order in which they are written', async () => {
    const conditions = [
      condition('UINT_GTE_CONST', 'value', encodeUint(5n)),
      condition('UINT_LTE_CONST', 'value', ten),
    ];
    const fields = [declare('value', 'UINT256')];
    const agreement = await createWithInput(chain, {
      fields,
      conditions: [...conditions, ...conditions.toReversed()],
    });
    const reversed = await createWithInput(chain, { fields, conditions: conditions.toReversed() });
    const impossible = [condition('UINT_GT_CONST', 'value', ten), condition('UINT_LT_CONST', 'value', ten)];
    const never = await createWithInput(chain, { fields, conditions: impossible });

    const refusal = (text: string) =>
      customError('ComparisonFailed(string op, string fieldType)', text, 'UINT256');
    expect(await chain.findRevertData(submission(agreement, 'act', uints(7n)))).toBeNull();
    expect(await chain.findRevertData(submission(agreement, 'act', uints(4n)))).toBe(
      refusal('UINT_LT_CONST'),
    );
    expect(await chain.findRevertData(submission(reversed, 'act', uints(11n)))).toBe(refusal('UINT_EQ_VAR'));
    expect(await chain.findRevertData(submission(never, 'act', uints(10n)))).toBe(refusal('UINT_GTE_CONST'));
  });

  it('with a constant that does not decode revert without data', async () => {
    const fields = [declare('value', 'UINT256')];
    const conditions = [condition('UINT_EQ_CONST', 'value', '0x0a')];
    const agreement = await createWithInput(chain, { fields, conditions });
    expect(await chain.findRevertData(submission(agreement, 'act', uints(10n)))).toBe(withoutData);
  });

  it('on an omitted optional field are skipped, and hold for it when it is there', async () => {
    const fields = [declare('value', 'UINT256', { required: false })];
    const conditions = [
      condition('UINT_EQ_CONST', 'value', ten),
      condition('UINT_EQ_VAR', 'value', id('never set')),
    ];
    const agreement = await createWithInput(chain, { fields, conditions });
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBeNull();
    expect(await chain.findRevertData(submission(agreement, 'act', uints(10n)))).toBe(
      customError('VarNotSet(bytes32 fieldId)', id('never set')),
    );
  });

  it('on a field that the input does not declare are refused unless it is submitted', async () => {
    const { agreement, declared } = await createUndeclared();
    expect(await chain.findRevertData(submission(agreement, 'act', [declared]))).toBe(
      reason('Condition field not found in input data'),
    );
    expect(await chain.findRevertData(submission(agreement, 'act', [declared, ...uints(10n)]))).toBeNull();
  });

  it('on a field that is submitted but not declared are evaluated as on any other', async () => {
    const { agreement, declared } = await createUndeclared();
    const answer = (...fields: DataField[]) =>
      chain.findRevertData(submission(agreement, 'act', [...fields, declared]));
    const refusal = customError('ComparisonFailed(string op, string fieldType)', 'UINT_GT_CONST', 'UINT256');
    expect(await answer(...uints(11n))).toBe(refusal);
    expect(await answer(...uints(11n, 10n))).toBe(refusal);
    expect(await answer(...uints(10n, 11n))).toBeNull();
    expect(await answer(textField('value', 'ten'))).toBe(typeMismatch('UINT256', 'STRING'));
    expect(await answer(dataField('value', 'UINT256', '0x'))).toBe(withoutData);
  });
});

describe('a field that nobody declared and that does not decode', () => {
  it.each<[OpName, FieldTypeName, Hex]>([
    ['STRING_EQ_VAR', 'STRING', customError('VarNotSet(bytes32 fieldId)', id('never set'))],
    ['UINT_EQ_VAR', 'UINT256', withoutData],
    ['ADDRESS_EQ_VAR', 'ADDRESS', withoutData],
  ])('shows under %s before or after the variable without a value', async (op, type, answer) => {
    const conditions = [condition(op, 'value', id('never set'))];
    const agreement = await createWithInput(chain, { conditions });
    const submitted = submission(agreement, 'act', [dataField('value', type, '0x')]);
    expect(await chain.findRevertData(submitted)).toBe(answer);
  });
});

/** An agreement with one condition, `value` = 10, on a field that its input does not declare. */
async function createUndeclared() {
  const agreement = await createWithInput(chain, {
    fields: [declare('declared', 'BOOL')],
    conditions: [condition('UINT_EQ_CONST', 'value', ten)],
  });
  return { agreement, declared: boolField('declared', true) };
}

const oneOfEachType: { name: FieldTypeName; field: DataField }[] = [
  { name: 'UINT256', field: uintField('value', 1n) },
  { name: 'STRING', field: textField('value', 'text') },
  { name: 'ADDRESS', field: addressField('value', accounts.owner.address) },
  { name: 'BOOL', field: boolField('value', true) },
  { name: 'BYTES32', field: bytes32Field('value', id('word')) },
];

function typeMismatch(expected: FieldTypeName, actual: FieldTypeName): Hex {
  return customError('TypeMismatch(string expected, string actual)', expected, actual);
}
