import { expect, test } from 'vitest';
import { ApiError, ConnectionError, InvalidResponseError, TimeoutError } from '../../../client/src/index.ts';
import { isRefused, mayBeStored } from '../../../console/src/wallet/mayBeStored.ts';

const requestId = 'req_1';
const answer = (status: number, reason?: string) =>
  new ApiError('refused', {
    status,
    code: 'x',
    requestId,
    ...(reason !== undefined && { details: { reason } }),
  });

test.each([
  ['no answer', new ConnectionError('no answer', { requestId })],
  ['no answer in time', new TimeoutError('no answer', { requestId })],
  ['an answer of something in between', new InvalidResponseError('cut', { requestId, status: 502 })],
  ['an answer that its transaction is not signed yet', answer(503)],
  ['an error of the service', answer(500)],
  ['the answer that an earlier attempt is in progress', answer(409)],
])('an input may be stored after %s', (_what, error) => {
  expect([mayBeStored(error), isRefused(error)]).toEqual([true, false]);
});

test.each([
  ['a refusal', answer(409, 'state_not_accepting'), true],
  ['a bad request', answer(400, 'signature_mismatch'), true],
  ['no funds of the service', answer(503, 'relayer_unfunded'), false],
  ['the end of the session', answer(401), false],
  ['too many requests', answer(429), false],
  ['an error of the wallet', new TypeError('x'), false],
])('an input is not stored by %s', (_what, error, isRefusal) => {
  expect([mayBeStored(error), isRefused(error)]).toEqual([false, isRefusal]);
});
