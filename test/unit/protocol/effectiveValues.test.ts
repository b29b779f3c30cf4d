import { describe, expect, test } from 'vitest';
import {
  applyAcceptedInput,
  applyStoredAddresses,
  decodeInputPayload,
  effectiveValues,
  encodeInputPayload,
  initialStoredAddresses,
  nameHash,
} from '../../../src/protocol/index.ts';
import { alice, bob, buildDocument, readDocument } from './documents.ts';

const agreement = buildDocument({
  variables: {
    owner: { type: 'address' },
    heir: { type: 'address' },
    amount: { type: 'uint256' },
    note: { type: 'string' },
  },
  data: { owner: `\${variables.owner}`, note: `\${variables.note}` },
  inputs: {
    go: { data: { x: `\${variables.owner}`, y: `\${variables.amount}`, own: { type: 'string' } } },
    typed: { schema: { note: { type: 'dateTime' }, amount: { type: 'string' }, owner: { type: 'address' } } },
  },
});

const accept = (inputId: string, values: object) => ({
  inputId,
  fields: decodeInputPayload(agreement, encodeInputPayload(agreement, inputId, values)),
});

describe('effective values', () => {
  const initial = { owner: alice, note: 'first' };

  test('a field that is a variable overwrites it, any other field means nothing', () => {
    const after = applyAcceptedInput(initial, agreement, accept('go', { owner: bob, amount: 5, own: 'x' }));
    expect(after).toEqual({ owner: bob, note: 'first', amount: '5' });
    expect(initial).toEqual({ owner: alice, note: 'first' });
  });

  test('a field called like a variable of the same on-chain type overwrites it too', () => {
    const after = applyAcceptedInput(
      initial,
      agreement,
      accept('typed', { note: 'later', amount: 'many', owner: bob }),
    );
    expect(after).toEqual({ owner: bob, note: 'later' });
  });

  test('inputs are applied in turn, named by their hash as well', () => {
    const first = accept('go', { amount: 1 });
    const second = { ...accept('go', { amount: 2 }), inputId: nameHash('go') };
    expect(effectiveValues({ agreement, initialValues: initial, inputs: [first, second] })).toMatchObject({
      amount: '2',
    });
  });

  test('undeclared or unreadable fields change nothing', () => {
    const [field] = accept('go', { amount: 1 }).fields;
    const unread = field ? [{ ...field, value: null }] : [];
    expect(applyAcceptedInput(initial, agreement, { inputId: 'go', fields: unread })).toEqual(initial);
    expect(
      applyAcceptedInput(initial, agreement, { inputId: 'gone', fields: accept('go', { amount: 1 }).fields }),
    ).toEqual(initial);
    expect(
      applyAcceptedInput(initial, agreement, {
        inputId: 'typed',
        fields: accept('go', { amount: 1 }).fields,
      }),
    ).toEqual(initial);
  });

  test('of repeated data fields the first counts, as in the contract', () => {
    const fields = [...accept('go', { amount: 1 }).fields, ...accept('go', { amount: 2 }).fields];
    expect(applyAcceptedInput({}, agreement, { inputId: 'go', fields })).toEqual({ amount: '1' });
  });

  test('a variable called __proto__ is one like any other', () => {
    const payroll = readDocument('payroll');
    const submitted: unknown = JSON.parse(`{"__proto__":"${alice}"}`);
    const fields = decodeInputPayload(payroll, encodeInputPayload(payroll, 'hand over', submitted));
    const after = applyAcceptedInput(JSON.parse('{"__proto__":"old"}'), payroll, {
      inputId: 'hand over',
      fields,
    });
    expect(Object.entries(after)).toEqual([['__proto__', 'old']]);
  });
});

describe('stored addresses', () => {
  test('are those of the initial data that are addresses', () => {
    expect(initialStoredAddresses(agreement, { owner: alice, heir: bob, note: 'x' })).toEqual({
      owner: alice,
    });
  });

  test('change with fields that persist, and only with those', () => {
    const stored = { owner: alice };
    expect(applyStoredAddresses(stored, agreement, accept('go', { owner: bob, amount: 5 }))).toEqual({
      owner: bob,
    });
    expect(applyStoredAddresses(stored, agreement, accept('typed', { owner: bob }))).toEqual(stored);
  });
});
