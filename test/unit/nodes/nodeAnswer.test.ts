import { HttpRequestError, RpcRequestError, UnknownRpcError } from 'viem';
import { expect, test } from 'vitest';
import { findNodeText, readNodeAnswer } from '../../../src/platform/nodes/nodeAnswer.ts';

const url = 'https://rpc.example/key-that-is-secret';
/** The error that viem throws for a node's error answer. */
function nodeError(message: string): Error {
  const answer = new RpcRequestError({ body: {}, error: { code: -32_000, message }, url });
  return new UnknownRpcError(answer);
}

test.each([
  ['already known', 'accepted'],
  ['transaction already imported', 'accepted'],
  ['AlreadyKnown', 'accepted'],
  ['nonce too low: next nonce 5, tx nonce 4', 'nonceTooLow'],
  ['OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'nonceTooLow'],
  ['replacement transaction underpriced', 'underpriced'],
  ['INTERNAL_ERROR: could not replace existing tx', 'underpriced'],
  ['ReplacementNotAllowed', 'underpriced'],
  ['transaction underpriced: tip needed 1000000, tip permitted 1', 'underpriced'],
  ['max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 7', 'underpriced'],
  ['FeeTooLow, MaxFeePerGas too low', 'underpriced'],
  ['insufficient funds for gas * price + value: balance 0, tx cost 5, overshot 5', 'insufficientFunds'],
  ['InsufficientFunds, Account balance: 0, cumulative cost: 5', 'insufficientFunds'],
  ['Upfront cost exceeds account balance', 'insufficientFunds'],
  ['exceeds block gas limit', 'rejected'],
  ['GasLimitExceeded', 'rejected'],
  ['intrinsic gas too low', 'rejected'],
  ['tx fee (1.50 ether) exceeds the configured cap (1.00 ether)', 'rejected'],
  ['Transaction fee cap exceeded', 'rejected'],
  ['rate limit exceeded', 'unavailable'],
  ['header not found', 'unavailable'],
] as const)('a node that says "%s" means: %s', (message, answer) => {
  expect(readNodeAnswer(nodeError(message))).toBe(answer);
});

test('an endpoint that is not there, or asks for patience, has said nothing', () => {
  expect(readNodeAnswer(new HttpRequestError({ url, status: 429, details: 'already known' }))).toBe(
    'unavailable',
  );
  expect(readNodeAnswer(new TypeError('nonce too low'))).toBe('unavailable');
});

test("only a node's own words are kept", () => {
  expect(findNodeText(nodeError('intrinsic gas too low'))).toBe('intrinsic gas too low');
  expect(findNodeText(nodeError('reverted: a\0b'))).toBe('reverted: ab');
  expect(findNodeText(new HttpRequestError({ url, details: url }))).toBeUndefined();
});
