import { expect, test } from 'vitest';
import {
  beginDelivery,
  chooseDeliveries,
  createLane,
  isIdle,
  measureFree,
} from '../../../src/worker/deliverer/lane.ts';

const due = (count: number, isFirst: boolean) =>
  Array.from({ length: count }, (_, at) => ({
    id: `${isFirst ? 'first' : 'retry'}${at}`,
    isFirst,
  }));
const choose = ({ firsts, retries, free }: { firsts: number; retries: number; free: number }) => {
  const lane = createLane('wh_1');
  lane.inFlight.set('dlv_1', { isFirst: true });
  return chooseDeliveries(lane, [...due(firsts, true), ...due(retries, false)], free).map(({ id }) => id);
};

test('first attempts leave a place to one retry, and retries take those that are left', () => {
  expect(choose({ firsts: 5, retries: 2, free: 3 })).toEqual(['first0', 'first1', 'retry0']);
  expect(choose({ firsts: 1, retries: 4, free: 3 })).toEqual(['first0', 'retry0', 'retry1']);
  expect(choose({ firsts: 2, retries: 1, free: 1 })).toEqual(['retry0']);
});

test('going round the records goes on after the last one that had its turn, in each second place', () => {
  const lane = createLane('wh_1');
  const begin = (recordId: string | null, isOfRound: boolean, isFirst = true) => {
    beginDelivery(lane, { id: `dlv_${lane.inFlight.size}`, recordId, isFirst, isOfRound });
    return [lane.roundAfter, lane.isRoundNext];
  };
  expect([lane.roundAfter, lane.isRoundNext]).toEqual(['', false]);
  expect(begin('agr_5', false)).toEqual(['', true]);
  expect(begin('agr_2', true)).toEqual(['agr_2', false]);
  expect(begin('agr_7', false)).toEqual(['agr_2', true]);
  const [ofTest, ofRetry] = [begin(null, false), begin('agr_9', false, false)];
  expect([ofTest, ofRetry]).toEqual(Array(2).fill(['agr_2', true]));
});

test.each([0, -1, -3])('nothing begins with %s free places', (free) => {
  expect(choose({ firsts: 5, retries: 2, free })).toEqual([]);
});

test('a subscription is given up only after several idle looks, and never during an attempt', () => {
  const lane = { ...createLane('wh_1'), isWanted: false };
  expect([0, 2, 3].map((idleLooks) => isIdle({ ...lane, idleLooks }))).toEqual([false, false, true]);
  expect(isIdle({ ...lane, idleLooks: 3, isWanted: true })).toBe(false);
  lane.inFlight.set('dlv_1', { isFirst: false });
  expect(isIdle({ ...lane, idleLooks: 3 })).toBe(false);
});

test('with a single place first attempts come before retries', () => {
  const chosen = chooseDeliveries(createLane('wh_1'), [...due(1, true), ...due(1, false)], 1);
  expect(chosen.map(({ id }) => id)).toEqual(['first0']);
});

test('a receiver that has failed five times in a row gets two places at most', () => {
  const measure = (failuresInRow: number, perSubscription: number) =>
    measureFree({ ...createLane('wh_1'), failuresInRow }, { perSubscription });
  expect([measure(4, 10), measure(5, 10), measure(5, 1)]).toEqual([10, 2, 1]);
  const lane = { ...createLane('wh_1'), failuresInRow: 5 };
  for (const id of ['dlv_1', 'dlv_2', 'dlv_3']) lane.inFlight.set(id, { isFirst: true });
  expect(measureFree(lane, { perSubscription: 10 })).toBe(0);
});
