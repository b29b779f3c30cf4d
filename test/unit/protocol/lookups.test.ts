import { describe, expect, test } from 'vitest';
import {
  acceptedInputs,
  findTransition,
  inputName,
  issuerOf,
  nameHash,
  stateName,
  transitionsFor,
} from '../../../src/protocol/index.ts';
import { buildDocument, readDocument } from './documents.ts';

const escrow = readDocument('escrow');
const payroll = readDocument('payroll');

test('an input’s issuer lists its variables before its literals', () => {
  expect(issuerOf(escrow, 'pay')).toEqual({ anyone: false, variables: ['buyer'], literals: [] });
  expect(issuerOf(payroll, 'open')).toEqual({ anyone: true, variables: [], literals: [] });
  expect(issuerOf(payroll, 'hand over')).toEqual({
    anyone: false,
    variables: ['employer', 'employee'],
    literals: ['0xde709f2102306220921060314715629080e2fb77', '0x52908400098527886E0F7030069857D2E4169EE7'],
  });
});

test('an unknown input has no issuer, and a malformed issuer lets nobody in', () => {
  expect(issuerOf(escrow, 'constructor')).toBeUndefined();
  const broken = buildDocument({ inputs: { go: { issuer: { type: 'role' } } } });
  expect(issuerOf(broken, 'go')).toEqual({ anyone: false, variables: [], literals: [] });
});

describe('accepted inputs', () => {
  test('are those that lead on from the state, with their fields', () => {
    expect(acceptedInputs(escrow, 'OPEN')).toEqual([
      {
        inputId: 'pay',
        toState: 'PAID',
        issuer: { anyone: false, variables: ['buyer'], literals: [] },
        fields: [
          { name: 'receipt', type: 'txHash', required: true, validation: { required: true } },
          {
            name: 'amount',
            type: 'uint256',
            required: true,
            validation: { required: true, min: 1, step: 5 },
          },
          { name: 'note', type: 'string', required: false, validation: { required: false, maxLength: 280 } },
        ],
      },
      {
        inputId: 'cancel',
        toState: 'CANCELLED',
        issuer: { anyone: false, variables: ['buyer'], literals: [] },
        fields: [],
      },
    ]);
    expect(acceptedInputs(escrow, 'DONE')).toEqual([]);
    expect(acceptedInputs(escrow, 'toString')).toEqual([]);
  });

  test('appear once, with the transition that the contract takes', () => {
    const step = (to: string) => ({ from: 'A', to, conditions: [{ input: 'go' }] });
    const agreement = buildDocument({ transitions: [step('B'), step('A')] });
    expect(acceptedInputs(agreement, 'A').map(({ inputId, toState }) => [inputId, toState])).toEqual([
      ['go', 'B'],
    ]);
    expect(findTransition(agreement, { state: 'A', inputId: 'go' })?.to).toBe('B');
  });
});

test('transitions are identified by state and input', () => {
  expect(findTransition(escrow, { state: 'OPEN', inputId: 'ship' })).toBeUndefined();
  expect(transitionsFor(escrow, 'ship')).toEqual([{ from: 'PAID', to: 'DONE', input: 'ship' }]);
  expect(transitionsFor(escrow, 'refund')).toEqual([]);
});

test('names are found by hash, also those of states that are only mentioned', () => {
  expect(stateName(payroll, nameHash('Übergabe ✓'))).toBe('Übergabe ✓');
  expect(stateName(payroll, nameHash('undeclared'))).toBe('undeclared');
  expect(stateName(payroll, nameHash('elsewhere'))).toBeUndefined();
  expect(inputName(payroll, nameHash('toString'))).toBe('toString');
  expect(inputName(payroll, nameHash('missing'))).toBeUndefined();
});
