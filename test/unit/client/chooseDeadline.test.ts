import { expect, test } from 'vitest';
import { chooseDeadline } from '../../../client/src/viem/chooseDeadline.ts';

const now = Math.floor(Date.now() / 1_000);
const [hour, week] = [3_600, 604_800];

test("the service's deadline is taken if it is near, and the caller's own in any case", () => {
  expect(chooseDeadline(undefined, now + hour)).toBe(BigInt(now + hour));
  expect(chooseDeadline(now + week, now + hour)).toBe(BigInt(now + week));
});

test.each([now + week, 4_102_444_800, Number.MAX_SAFE_INTEGER])(
  "the service's deadline %i, more than a day ahead, is refused",
  (deadline) => {
    expect(() => chooseDeadline(undefined, deadline)).toThrow(
      expect.objectContaining({ name: 'PermitRefusedError', reason: 'deadline_too_far' }),
    );
  },
);
