import { expect, test } from 'vitest';
import { ApiError } from '../../../client/src/index.ts';
import { isSpentPermit } from '../../../console/src/wallet/isSpentPermit.ts';

const refuse = (reason?: string) =>
  new ApiError('refused', {
    status: 409,
    code: 'conflict',
    requestId: 'req_1',
    ...(reason !== undefined && { details: { reason } }),
  });

test.each(['permit_expired', 'stale_nonce', 'future_nonce', 'nonce_in_flight'])(
  'a permit that is refused as %s is prepared anew',
  (reason) => expect(isSpentPermit(refuse(reason))).toBe(true),
);

test('a permit that is refused for another reason, or not refused, stays', () => {
  const others = [refuse('state_not_accepting'), refuse(), new TypeError('stale_nonce'), undefined];
  expect(others.map(isSpentPermit)).toEqual([false, false, false, false]);
});
