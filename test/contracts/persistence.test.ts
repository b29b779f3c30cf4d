import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgreement, inputDef, submission, transition } from './support/agreement.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';
import {
  addressField,
  boolField,
  condition,
  type DataField,
  dataField,
  declare,
  encodeUint,
  id,
  senderIs,
  uintField,
} from './support/language.ts';
import { customError, reason } from './support/reverts.ts';

const submitter = accounts.submitter.address;
const stranger = accounts.stranger.address;

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

/**
 * An agreement that stores `amount` with `store`, and accepts `read` if the field `expected` equals the
 * stored value. `store` refuses amounts of 100 and more.
 */
function createStore(initVars: DataField[] = [], { persist = true, required = true } = {}) {
  return createAgreement(chain, {
    inputDefs: [
      inputDef('store', {
        fields: [declare('amount', 'UINT256', { persist, required })],
        conditions: [condition('UINT_LT_CONST', 'amount', encodeUint(100n))],
      }),
      inputDef('read', {
        fields: [declare('expected', 'UINT256')],
        conditions: [condition('UINT_EQ_VAR', 'expected', id('amount'))],
      }),
    ],
    transitions: [transition('open', 'store', 'open'), transition('open', 'read', 'open')],
    initVars,
  });
}

const read = (agreement: `0x${string}`, amount: bigint) =>
  chain.findRevertData(submission(agreement, 'read', [uintField('expected', amount)]));
const notSet = customError('VarNotSet(bytes32 fieldId)', id('amount'));

describe('a persisted field', () => {
  it('becomes a stored variable', async () => {
    const agreement = await createStore();
    expect(await read(agreement, 7n)).toBe(notSet);
    await chain.send(submission(agreement, 'store', [uintField('amount', 7n)]));
    expect(await read(agreement, 7n)).toBeNull();
  });

  it('overwrites the variable each time that it is submitted', async () => {
    const agreement = await createStore([uintField('amount', 1n)]);
    for (const amount of [7n, 8n]) {
      await chain.send(submission(agreement, 'store', [uintField('amount', amount)]));
      expect(await read(agreement, amount)).toBeNull();
    }
  });

  it('that is left out leaves the variable as it was', async () => {
    const agreement = await createStore([uintField('amount', 1n)], { required: false });
    await chain.send(submission(agreement, 'store'));
    expect(await read(agreement, 1n)).toBeNull();
  });

  it('overwrites a variable of another type, which then has the type of the field', async () => {
    const agreement = await createStore([boolField('amount', true)]);
    expect(await read(agreement, 7n)).toBe(
      customError('TypeMismatch(string expected, string actual)', 'UINT256', 'BOOL'),
    );
    await chain.send(submission(agreement, 'store', [uintField('amount', 7n)]));
    expect(await read(agreement, 7n)).toBeNull();
  });

  it('is stored before any condition runs', async () => {
    const agreement = await createAgreement(chain, {
      inputDefs: [
        inputDef('act', {
          fields: [declare('party', 'ADDRESS', { persist: true })],
          conditions: [senderIs('party')],
        }),
      ],
      initVars: [addressField('party', stranger)],
    });
    const claim = (party: `0x${string}`) =>
      submission(agreement, 'act', [addressField('party', party)], submitter);
    expect(await chain.findRevertData(claim(submitter))).toBeNull();
    expect(await chain.findRevertData(claim(stranger))).toBe(
      customError('SenderAddressMismatch(address sender, address expected)', submitter, stranger),
    );
  });

  it('is not stored when the input is refused after all', async () => {
    const agreement = await createStore([uintField('amount', 1n)]);
    const refused = submission(agreement, 'store', [uintField('amount', 100n)]);
    await expect(chain.send({ ...refused, gas: 1_000_000n })).rejects.toThrow('reverted');
    expect(await read(agreement, 1n)).toBeNull();
  });

  it('is stored only when every field of the input has been checked', async () => {
    const agreement = await createAgreement(chain, {
      inputDefs: [
        inputDef('act', {
          fields: [declare('amount', 'UINT256', { persist: true }), declare('other', 'BOOL')],
        }),
      ],
      initVars: [boolField('amount', true)],
    });
    const values = [uintField('amount', 1n), dataField('other', 'BOOL', '0x')];
    expect(await chain.findRevertData(submission(agreement, 'act', values))).toBe(
      reason('Field data is empty'),
    );
  });
});

describe('a field that is not persisted', () => {
  it('stores nothing', async () => {
    const agreement = await createStore([], { persist: false });
    await chain.send(submission(agreement, 'store', [uintField('amount', 7n)]));
    expect(await read(agreement, 7n)).toBe(notSet);
  });
});
