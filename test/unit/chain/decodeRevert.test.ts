import { encodeAbiParameters, encodeErrorResult, type Hex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { decodeRevert, listActionErrors } from '../../../src/api/chain/decodeRevert.ts';

const target = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const plain = parseAbi(['error Error(string)', 'error Panic(uint256)']);
const message = (text: string) => encodeErrorResult({ abi: plain, errorName: 'Error', args: [text] });
const inAction = (revertData: Hex) =>
  encodeErrorResult({ abi: agreementEngineAbi, errorName: 'ActionCallFailed', args: [target, revertData] });

describe('what a contract reverted with is decoded', () => {
  test.each([
    ['a message', message('No valid transition'), { name: 'Error', message: 'No valid transition' }],
    [
      'a panic',
      encodeErrorResult({ abi: plain, errorName: 'Panic', args: [0x12n] }),
      { name: 'Panic', message: 'Panic division by zero' },
    ],
    [
      'an error of the protocol',
      encodeErrorResult({ abi: agreementEngineAbi, errorName: 'PermitExpired', args: [7n] }),
      { name: 'PermitExpired', message: 'PermitExpired(7)', args: ['7'] },
    ],
    ['nothing', '0x', { name: 'Unknown', message: 'The contract gave no reason.' }],
    ['no data at all', undefined, { name: 'Unknown', message: 'The contract gave no reason.' }],
    [
      'an error that nobody knows',
      '0xdeadbeef',
      { name: 'Unknown', message: 'The contract gave the unknown error 0xdeadbeef.', data: '0xdeadbeef' },
    ],
  ] as const)('%s', (_, data, expected) => {
    expect(decodeRevert(data)).toEqual(expected);
  });

  test('the reason of an action, with the contract that it called', () => {
    expect(decodeRevert(inAction(message('paused')))).toEqual({ name: 'Error', message: 'paused', target });
  });

  test('a token error that the document does not list', () => {
    const abi = parseAbi(['error ERC20InsufficientAllowance(address,uint256,uint256)']);
    const data = encodeErrorResult({ abi, errorName: 'ERC20InsufficientAllowance', args: [target, 0n, 5n] });
    expect(decodeRevert(inAction(data))).toMatchObject({
      message: `ERC20InsufficientAllowance(${target}, 0, 5)`,
      target,
    });
  });

  test("a comparison without the contract's own text, which names another comparison", () => {
    const data = encodeErrorResult({
      abi: agreementEngineAbi,
      errorName: 'ComparisonFailed',
      args: ['UINT_LTE_CONST', 'UINT256'],
    });
    expect(decodeRevert(data)).toEqual({
      name: 'ComparisonFailed',
      message: 'A submitted value breaks a rule of the agreement.',
    });
  });

  test('an error that the action lists in its ABI, beside entries that are none', () => {
    const custom = { type: 'error', name: 'Paused', inputs: [{ name: 'since', type: 'uint256' }] };
    const broken = { type: 'error', name: 'Broken', inputs: [{ name: 'x', type: 'nonsense' }] };
    const abi = [null, 5, { type: 'function', name: 'f', inputs: [] }, { type: 'error' }, custom];
    const agreement = { execution: { actions: [null, { call: { abi: [broken] } }, { call: { abi } }] } };
    const data = encodeErrorResult({
      abi: parseAbi(['error Paused(uint256 since)']),
      errorName: 'Paused',
      args: [9n],
    });
    expect(decodeRevert(inAction(data), listActionErrors(agreement))).toMatchObject({ message: 'Paused(9)' });
  });

  test('a long text is cut', () => {
    const { message: shown } = decodeRevert(message('x'.repeat(10_000)));
    expect(shown.length).toBeLessThanOrEqual(500);
  });

  test('data that only begin like a known error are shown as they are', () => {
    const selector = message('').slice(0, 10);
    const data: Hex = `0x${selector.slice(2)}${encodeAbiParameters([{ type: 'uint256' }], [1n]).slice(2)}`;
    expect(decodeRevert(data)).toMatchObject({ name: 'Unknown', data });
  });
});
