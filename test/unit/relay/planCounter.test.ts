import { describe, expect, test } from 'vitest';
import { findGaps, planCounter } from '../../../src/worker/relay/planCounter.ts';
import type { Slot, SlotRow } from '../../../src/worker/relay/readSlots.ts';

function slot(
  nonce: number,
  row: Partial<SlotRow> | undefined,
  acceptedMs?: number,
  isAwaited = false,
): Slot {
  const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  return {
    wallet: '0x00000000000000000000000000000000000000A1',
    nonce,
    attempt: {
      ...{ id: String(nonce), hash: '0x01', gas: 1n, fees, ageMs: 0, acceptedMs },
      ...{ untakenMs: undefined, objection: undefined },
    },
    row: row && {
      id: `txn_${nonce}`,
      state: 'signed',
      contract: '0x00000000000000000000000000000000000000A2',
      callData: '0x',
      deadline: 0n,
      isHere: true,
      isShownHere: false,
      hasMoved: false,
      traceParent: null,
      ...row,
    },
    isAwaited,
  };
}
const plan = (minedCount: number, pendingCount: number, nextNonce: number, slots: Slot[] = []) =>
  planCounter({ minedCount, pendingCount, nextNonce }, slots);

describe('the counter', () => {
  test("stays at the chain's nonce", () => expect(plan(4, 4, 4)).toBe(4));
  test('stays where signed rows wait', () => expect(plan(4, 4, 6, [slot(4, {}), slot(5, {})])).toBe(6));
  test('rises to the nonces used by the chain or its mempool', () => {
    expect(plan(7, 7, 4)).toBe(7);
    expect(plan(4, 6, 4)).toBe(6);
  });
  test('falls to the chain where nothing is signed', () => expect(plan(4, 4, 9)).toBe(4));
  test('falls to the last wanted row', () => {
    expect(plan(4, 4, 9, [slot(5, {}), slot(6, { state: 'failed' })])).toBe(6);
  });
  test('does not fall below bytes that only use up the nonce, while a row waits for them', () => {
    expect(plan(4, 4, 5, [slot(4, undefined, undefined, true)])).toBe(5);
    expect(plan(4, 4, 5, [slot(4, undefined)])).toBe(4);
  });
  test('falls below a row whose agreement has moved', () => {
    expect(plan(4, 4, 6, [slot(4, {}), slot(5, { hasMoved: true })])).toBe(5);
  });
  test('does not fall below a nonce that a node may still hold', () => {
    expect(plan(4, 4, 6, [slot(4, undefined), slot(5, { state: 'failed' }, 100)])).toBe(6);
  });
  test('does not rise to an unwanted nonce above it, even if a node has taken that once', () => {
    expect(plan(4, 4, 4, [slot(5, { state: 'failed' }, 100)])).toBe(4);
  });
  test('keeps nonces mined in a block that fell out', () => {
    expect(plan(4, 4, 5, [slot(4, { state: 'mined', isShownHere: true })])).toBe(5);
    expect(plan(4, 4, 5, [slot(4, { state: 'mined', isShownHere: false })])).toBe(4);
  });
  test('does not count a row that goes by another nonce now', () => {
    expect(plan(4, 4, 5, [slot(4, { isHere: false })])).toBe(4);
  });
  test('takes in a row above it that is wanted again', () => expect(plan(4, 4, 4, [slot(5, {})])).toBe(6));
  test('keeps rows above one whose permit is final by other bytes than these', () => {
    expect(plan(4, 4, 6, [slot(4, { state: 'final' }), slot(5, {})])).toBe(6);
  });
  test('begins anew on another chain than the one on which rows were final', () => {
    expect(
      plan(
        0,
        0,
        3,
        [0, 1, 2].map((nonce) => slot(nonce, { state: 'final', isShownHere: true }, 5)),
      ),
    ).toBe(0);
  });
});

test('gaps are the nonces from the chain up to the end for which nothing is signed', () => {
  expect(findGaps({ minedCount: 3, end: 7 }, [slot(4, {}), slot(6, undefined)])).toEqual([3, 5]);
  expect(findGaps({ minedCount: 3, end: 3 }, [])).toEqual([]);
  const first = Array.from({ length: 32 }, (_, at) => 3 + at);
  expect(findGaps({ minedCount: 3, end: 1_000_000 }, [])).toEqual(first);
});
