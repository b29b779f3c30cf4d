import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWithInput, rawSubmission, submission } from './support/agreement.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';
import {
  addressField,
  boolField,
  bytes32Field,
  condition,
  dataField,
  declare,
  encodeText,
  encodeUint,
  type FieldTypeName,
  id,
  textField,
  uintField,
} from './support/language.ts';
import { reason, withoutData } from './support/reverts.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const word = (digits: string): Hex => `0x${digits.padStart(64, '0')}`;
const longWord: Hex = `0x${'00'.repeat(33)}`;

/** The agreement's answer to `field` for an input that declares the field `value` with this type. */
async function submitAs(type: FieldTypeName, ...fields: ReturnType<typeof dataField>[]) {
  const agreement = await createWithInput(chain, { fields: [declare('value', type)] });
  return chain.findRevertData(submission(agreement, 'act', fields));
}

describe('a submitted field', () => {
  it('of each type is accepted in its canonical encoding', async () => {
    expect(await submitAs('UINT256', uintField('value', 2n ** 256n - 1n))).toBeNull();
    expect(await submitAs('STRING', textField('value', ''))).toBeNull();
    expect(
      await submitAs('STRING', textField('value', 'é✓ and more than thirty-two bytes of text')),
    ).toBeNull();
    expect(await submitAs('ADDRESS', addressField('value', accounts.owner.address))).toBeNull();
    expect(await submitAs('BOOL', boolField('value', false))).toBeNull();
    expect(await submitAs('BYTES32', bytes32Field('value', id('word')))).toBeNull();
  });

  it.each<[FieldTypeName, string]>([
    ['UINT256', 'Invalid uint256 encoding'],
    ['ADDRESS', 'Invalid address encoding'],
    ['BOOL', 'Invalid bool encoding'],
    ['BYTES32', 'Invalid bytes32 encoding'],
  ])('of type %s is refused unless it has exactly 32 bytes: %s', async (type, text) => {
    for (const data of ['0x00', `0x${'00'.repeat(31)}`, longWord, encodeText('')] as const) {
      expect(await submitAs(type, dataField('value', type, data))).toBe(reason(text));
    }
  });

  it('of type STRING is refused with fewer than 64 bytes', async () => {
    for (const data of ['0x00', encodeUint(32n), `0x${'00'.repeat(63)}`] as const) {
      expect(await submitAs('STRING', dataField('value', 'STRING', data))).toBe(
        reason('Invalid string encoding'),
      );
    }
  });

  it('without data is refused, whatever its type', async () => {
    for (const type of ['UINT256', 'STRING', 'ADDRESS', 'BOOL', 'BYTES32'] as const) {
      expect(await submitAs(type, dataField('value', type, '0x'))).toBe(reason('Field data is empty'));
    }
  });

  it('of the right length that is no value of its type reverts without data', async () => {
    const tooLong: Hex = `${word('20')}${word('40').slice(2)}`;
    expect(await submitAs('ADDRESS', dataField('value', 'ADDRESS', word('1'.repeat(41))))).toBe(withoutData);
    expect(await submitAs('BOOL', dataField('value', 'BOOL', word('2')))).toBe(withoutData);
    expect(await submitAs('STRING', dataField('value', 'STRING', tooLong))).toBe(withoutData);
  });

  it('of another type than declared is refused, before its data is looked at', async () => {
    const mismatch = reason('Field type mismatch');
    expect(await submitAs('BYTES32', uintField('value', 1n))).toBe(mismatch);
    expect(await submitAs('UINT256', dataField('value', 'STRING', '0x'))).toBe(mismatch);
  });

  it('that is not declared is ignored, even when its data is no encoding of anything', async () => {
    const value = uintField('value', 1n);
    expect(
      await submitAs('UINT256', dataField('extra', 'BOOL', '0x'), value, uintField('more', 2n)),
    ).toBeNull();
  });

  it('counts at its first occurrence', async () => {
    const agreement = await createWithInput(chain, {
      fields: [declare('value', 'UINT256')],
      conditions: [condition('UINT_EQ_CONST', 'value', encodeUint(1n))],
    });
    const [first, second] = [uintField('value', 1n), textField('value', 'ignored')];
    expect(await chain.findRevertData(submission(agreement, 'act', [first, second]))).toBeNull();
    expect(await chain.findRevertData(submission(agreement, 'act', [second, first]))).toBe(
      reason('Field type mismatch'),
    );
  });
});

describe('a declared field', () => {
  it('that is required must be submitted', async () => {
    expect(await submitAs('UINT256')).toBe(reason('Required field missing'));
    expect(await submitAs('UINT256', uintField('another', 1n))).toBe(reason('Required field missing'));
  });

  it('that is optional may be left out, and is checked when it is there', async () => {
    const fields = [declare('value', 'UINT256', { required: false })];
    const agreement = await createWithInput(chain, { fields });
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBeNull();
    const broken = [dataField('value', 'UINT256', '0x')];
    expect(await chain.findRevertData(submission(agreement, 'act', broken))).toBe(
      reason('Field data is empty'),
    );
  });

  it('is checked in the order of the declaration, not of the submission', async () => {
    const fields = [declare('first', 'UINT256'), declare('second', 'BOOL')];
    const agreement = await createWithInput(chain, { fields });
    const broken = [dataField('second', 'BOOL', '0x01'), dataField('first', 'UINT256', '0x01')];
    expect(await chain.findRevertData(submission(agreement, 'act', broken))).toBe(
      reason('Invalid uint256 encoding'),
    );
    expect(await chain.findRevertData(submission(agreement, 'act', broken.slice(0, 1)))).toBe(
      reason('Required field missing'),
    );
  });
});

describe('a payload', () => {
  it('that is no list of fields reverts without data', async () => {
    const agreement = await createWithInput(chain, {});
    const unknownType = { ...uintField('value', 1n), fType: 5 };
    expect(await chain.findRevertData(rawSubmission(agreement, 'act', '0x'))).toBe(withoutData);
    expect(await chain.findRevertData(rawSubmission(agreement, 'act', '0x1234'))).toBe(withoutData);
    expect(await chain.findRevertData(submission(agreement, 'act', [unknownType]))).toBe(withoutData);
  });

  it('for an input that is not defined is not decoded', async () => {
    const agreement = await createWithInput(chain, {});
    expect(await chain.findRevertData(rawSubmission(agreement, 'unknown', '0x'))).toBe(
      reason('Unknown inputId'),
    );
  });
});
