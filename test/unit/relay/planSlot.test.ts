import { describe, expect, test } from 'vitest';
import { planSlot, type SlotFacts } from '../../../src/worker/relay/planSlot.ts';

const times = { resendAfterMs: 12_000, replaceAfterMs: 36_000 };
/** A wanted call that a node accepted a moment ago. */
const fresh: SlotFacts = {
  purpose: 'wanted',
  isFirst: true,
  ageMs: 500,
  acceptedMs: 400,
  sentMs: 450,
  stalledMs: 500,
  stalledBlocks: 2,
  objection: undefined,
  isRefusedByAll: false,
  untakenMs: undefined,
  leftMs: 3_600_000,
  canReplace: true,
  canCancel: true,
};
const plan = (facts: Partial<SlotFacts>) => planSlot({ ...fresh, ...facts }, times);
const stuck = { ageMs: 60_000, acceptedMs: 50_000, sentMs: 50_000, stalledMs: 60_000 };

describe('a wanted call', () => {
  test('that a node has just taken is waited for', () => expect(plan({})).toBe('wait'));
  test('that this process has never sent is sent', () => expect(plan({ sentMs: undefined })).toBe('resend'));
  test('that no node has taken is sent again soon, and then less and less often', () => {
    expect(plan({ acceptedMs: undefined, sentMs: 900 })).toBe('wait');
    expect(plan({ acceptedMs: undefined, sentMs: 1_100 })).toBe('resend');
    expect(plan({ acceptedMs: undefined, sentMs: 4_000, ageMs: 20_000 })).toBe('wait');
    expect(plan({ acceptedMs: undefined, sentMs: 13_000, ageMs: 3_600_000, stalledMs: 0 })).toBe('resend');
  });
  test('that a node objects to after it was taken is sent again as soon as one that was not', () => {
    expect(plan({ objection: 'nonceTooLow', sentMs: 900 })).toBe('wait');
    expect(plan({ objection: 'nonceTooLow', sentMs: 1_100 })).toBe('resend');
  });
  test('that does not get on is sent again, then offers more', () => {
    expect(plan({ stalledMs: 13_000, sentMs: 13_000, ageMs: 13_000 })).toBe('resend');
    expect(plan({ stalledMs: 13_000, sentMs: 5_000, ageMs: 13_000 })).toBe('wait');
    expect(plan({ stalledMs: 5_000, sentMs: 13_000, ageMs: 13_000 })).toBe('wait');
    expect(plan(stuck)).toBe('replace');
  });
  test('that waits for others before it offers no more', () => {
    expect(plan({ ...stuck, isFirst: false })).toBe('resend');
  });
  test('offers more the sooner, the nearer its deadline is', () => {
    expect(plan({ stalledMs: 5_000, leftMs: 60_000 })).toBe('wait');
    expect(plan({ stalledMs: 5_000, leftMs: 30_000 })).toBe('replace');
    expect(plan({ stalledMs: 2_500, leftMs: -10_000 })).toBe('replace');
    expect(plan({ stalledMs: 1_500, leftMs: 1_000 })).toBe('wait');
  });
  test.each([0, 1])(
    'that %i blocks have left out does not offer more, however late it is',
    (stalledBlocks) => {
      expect(plan({ ...stuck, stalledBlocks })).toBe('resend');
      expect(plan({ ...stuck, stalledBlocks, stalledMs: 3_600_000, sentMs: 500 })).toBe('wait');
      expect(plan({ ...stuck, stalledBlocks, leftMs: 1_000 })).toBe('resend');
      expect(plan({ ...stuck, stalledBlocks, leftMs: -10_000 })).toBe('resend');
    },
  );
  test('does not offer more before its time, however many blocks have left it out', () => {
    expect(plan({ stalledBlocks: 1_000, stalledMs: 30_000, ageMs: 30_000, sentMs: 500 })).toBe('wait');
  });
  test('that nodes object to waits for no blocks', () => {
    const objected = { acceptedMs: undefined, ageMs: 40_000, stalledBlocks: 0 } as const;
    expect(plan({ ...objected, objection: 'underpriced' })).toBe('replace');
    expect(plan({ ...objected, objection: 'rejected', stalledMs: 0 })).toBe('cancel');
  });
  test('at the cap is sent again unchanged', () => {
    expect(plan({ ...stuck, canReplace: false })).toBe('resend');
    expect(plan({ ...stuck, canReplace: false, sentMs: 3_000 })).toBe('wait');
  });
  test('that a node finds too cheap offers more, but not at every look', () => {
    const cheap = { objection: 'underpriced', acceptedMs: undefined } as const;
    expect(plan({ ...cheap, ageMs: 1_000, isFirst: false })).toBe('wait');
    expect(plan({ ...cheap, ageMs: 2_500, isFirst: false })).toBe('replace');
    expect(plan({ ...cheap, ageMs: 2_500, canReplace: false, sentMs: 2_500 })).toBe('resend');
  });
  test('that nodes refuse in unknown words makes room while the chain goes on, but not because of an outage', () => {
    const untaken = { objection: 'unavailable', acceptedMs: undefined, stalledMs: 1_000 } as const;
    const refused = { ...untaken, ageMs: 5_000, sentMs: 500 };
    expect(plan({ ...refused, untakenMs: 170_000 })).toBe('wait');
    expect(plan({ ...refused, untakenMs: 181_000 })).toBe('cancel');
    expect(plan({ ...refused, untakenMs: 181_000, stalledBlocks: 1 })).toBe('wait');
    expect(plan({ ...refused, untakenMs: 181_000, isFirst: false })).toBe('wait');
    expect(plan({ ...refused, untakenMs: 181_000, objection: undefined })).toBe('wait');
    expect(plan({ ...refused, untakenMs: 181_000, canCancel: false })).toBe('wait');
    expect(plan({ ...refused, untakenMs: undefined, acceptedMs: 4_000 })).toBe('wait');
  });
  test('that nodes refuse for good makes room in the end', () => {
    const refused = { objection: 'rejected', acceptedMs: undefined, stalledMs: 0 } as const;
    expect(plan({ ...refused, ageMs: 30_000 })).toBe('wait');
    expect(plan({ ...refused, ageMs: 40_000 })).toBe('cancel');
    expect(plan({ ...refused, ageMs: 40_000, canCancel: false, sentMs: 13_000 })).toBe('resend');
  });
  test('that every node refuses for good makes room soon', () => {
    const refused = { objection: 'rejected', isRefusedByAll: true, acceptedMs: undefined } as const;
    const since = (ageMs: number) => ({ ...refused, ageMs, untakenMs: ageMs });
    expect(plan(since(1_500))).toBe('wait');
    expect(plan(since(2_500))).toBe('cancel');
    expect(plan({ ...since(2_500), isFirst: false })).toBe('cancel');
    expect(plan({ ...since(2_500), isRefusedByAll: false })).toBe('wait');
    expect(plan({ ...since(2_500), untakenMs: undefined })).toBe('wait');
    expect(plan({ ...since(40_000), untakenMs: undefined })).toBe('cancel');
  });
});

describe('a call that is no longer wanted', () => {
  const unwanted = { purpose: 'unwanted' } as const;
  test('makes room at once if no node has it', () => {
    expect(plan({ ...unwanted, acceptedMs: undefined, isFirst: false })).toBe('cancel');
    expect(plan({ ...unwanted, acceptedMs: undefined, stalledBlocks: 0 })).toBe('cancel');
  });
  test('may be mined if a node has it, and makes room when it is not', () => {
    expect(plan({ ...unwanted, sentMs: undefined })).toBe('wait');
    expect(plan({ ...unwanted, ...stuck })).toBe('cancel');
    expect(plan({ ...unwanted, ...stuck, stalledBlocks: 1 })).toBe('wait');
    expect(plan({ ...unwanted, ...stuck, isFirst: false })).toBe('wait');
  });
  test('is sent if nothing else may be signed, so that its nonce is used up', () => {
    expect(plan({ ...unwanted, acceptedMs: undefined, sentMs: undefined, canCancel: false })).toBe('resend');
  });
});

test('a transfer of nothing that does not get on offers more within its budget, else it is sent again', () => {
  const nothing = { ...stuck, purpose: 'nothing', leftMs: undefined } as const;
  expect(plan(nothing)).toBe('cancel');
  expect(plan({ ...nothing, stalledBlocks: 1 })).toBe('resend');
  expect(plan({ ...nothing, canCancel: false })).toBe('resend');
});
test('a transfer of nothing that nodes refuse for good is not made dearer for that', () => {
  const refused = {
    objection: 'rejected',
    isRefusedByAll: true,
    acceptedMs: undefined,
    untakenMs: 40_000,
  } as const;
  expect(plan({ ...refused, purpose: 'nothing', leftMs: undefined, ageMs: 40_000 })).toBe('wait');
});
