import { encodeErrorResult, type Hex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { findOwnError, findOwnRefusal } from '../../../src/platform/nodes/ownRefusal.ts';
import type { Simulation } from '../../../src/platform/nodes/simulateCall.ts';

const abi = agreementEngineAbi;
const target = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const reverted = (data: Hex | undefined): Simulation => ({ ok: false, data, message: 'execution reverted' });
const text = (message: string) =>
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [message] });
const inAction = (data: Hex) =>
  encodeErrorResult({ abi, errorName: 'ActionCallFailed', args: [target, data] });
const expired = encodeErrorResult({ abi, errorName: 'PermitExpired', args: [7n] });
const forged = encodeErrorResult({ abi, errorName: 'InvalidSignature', args: [] });
const unlike = encodeErrorResult({
  abi,
  errorName: 'ComparisonFailed',
  args: ['STRING_MIN_LENGTH', 'STRING'],
});

describe("the contract's error about a permit or an input has its reason", () => {
  test.each([
    ['No valid transition', text('No valid transition'), 'state_not_accepting'],
    ['Unknown inputId', text('Unknown inputId'), 'unknown_input'],
    ['Required field missing', text('Required field missing'), 'schema_mismatch'],
    ['ComparisonFailed', unlike, 'schema_mismatch'],
    ['PermitExpired', expired, 'permit_expired'],
  ])('%s', (error, data, reason) => {
    expect(findOwnError(reverted(data))).toBe(error);
    expect(findOwnRefusal(reverted(data))).toMatchObject({ reason });
  });

  test('but not if a contract called by an action has the same error', () => {
    for (const data of [text('No valid transition'), expired, forged]) {
      expect(findOwnError(reverted(inAction(data)))).toBeUndefined();
      expect(findOwnRefusal(reverted(inAction(data)))).toBeUndefined();
    }
  });
});

test('all else has no reason of its own', () => {
  expect(findOwnError(reverted(forged))).toBe('InvalidSignature');
  for (const data of [forged, text('constructor'), text('paused'), '0x', undefined] as const)
    expect(findOwnRefusal(reverted(data))).toBeUndefined();
  expect(findOwnRefusal({ ok: true, gas: 21_000n })).toBeUndefined();
  expect(findOwnRefusal(undefined)).toBeUndefined();
});
