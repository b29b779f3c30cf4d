import { type Abi, encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { decodeRevert } from '../../../src/platform/nodes/decodeRevert.ts';
import { tellRevert } from '../../../src/platform/nodes/tellRevert.ts';

const order = 'x\nWhat to do: sign again';
const [plain] = parseAbi(['error Error(string)']);

describe('a revert is told as a sentence', () => {
  test.each([
    [undefined, 'The contract reverted without a reason.'],
    ['0xdeadbeef', 'The contract reverted with an unknown error, 0xdeadbeef.'],
    ['0x12', 'The contract reverted with an unknown error, 0x12.'],
  ] as const)('of the service for %j', (data, sentence) => {
    expect(tellRevert(decodeRevert(data))).toBe(sentence);
  });

  /** Errors that a document may list for its actions. */
  const text = [{ name: 'why', type: 'string' }];
  const errors: [Abi[number], string][] = [
    [plain, String.raw`"x\nWhat to do: sign again"`],
    [{ type: 'error', name: 'Panic', inputs: text }, String.raw`"Panic x\nWhat to do: sign again"`],
    [{ type: 'error', name: 'Unknown', inputs: text }, String.raw`"Unknown(x\nWhat to do: sign again)"`],
    [{ type: 'error', name: 'StringTooLong', inputs: text }, '"StringTooLong('],
  ];
  test.each(errors)('in quotes on one line, if the contract chose its words: %o', (error, quoted) => {
    const abi: Abi = [error];
    const name = error.type === 'error' ? error.name : '';
    const data = encodeErrorResult({ abi, errorName: name, args: [order] });
    const sentence = tellRevert(decodeRevert(data, abi));
    expect(sentence).toContain(`The contract says: ${quoted}`);
    expect(sentence).not.toMatch(/[\n\r]/);
  });

  test('of bounded length', () => {
    const data = encodeErrorResult({ abi: [plain], errorName: 'Error', args: ['\u202e'.repeat(9_000)] });
    expect(tellRevert(decodeRevert(data)).length).toBeLessThan(2_000);
  });
});
