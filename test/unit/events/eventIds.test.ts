import { expect, test } from 'vitest';
import { createEventIds } from '../../../src/records/events/eventIds.ts';

const ids = createEventIds(Buffer.from('one secret'));
const transition = {
  principalId: 'prn_1',
  chainId: 59141,
  agreement: '0x00000000000000000000000000000000000000A1',
  transactionHash: '0xab',
  ordinal: 0,
} as const;
const deployment = {
  principalId: 'prn_1',
  chainId: 59141,
  recordId: 'agr_1',
  transactionHash: '0xab',
} as const;
const notification = {
  principalId: 'prn_1',
  recordId: 'agr_1',
  ruleId: 'rule',
  recipient: 'patron',
  occasion: 'one',
};

test('an id is a prefix and 64 hex digits, the same again for the same, in any case of the letters', () => {
  expect(ids.ofTransition(transition)).toBe(
    'evt_650909a8569f9faf0cd007bf08a28ce977b359ed1311e9900f65390b3286ac73',
  );
  expect(ids.ofTransition({ ...transition, agreement: transition.agreement.toLowerCase() })).toBe(
    ids.ofTransition(transition),
  );
  expect(createEventIds(Buffer.from('one secret')).ofTransition(transition)).toBe(
    ids.ofTransition(transition),
  );
});

test('everything that distinguishes events distinguishes their ids, and so does the secret', () => {
  const all = [
    ids.ofTransition(transition),
    ids.ofTransition({ ...transition, principalId: 'prn_2' }),
    ids.ofTransition({ ...transition, chainId: 84532 }),
    ids.ofTransition({ ...transition, agreement: '0x00000000000000000000000000000000000000a2' }),
    ids.ofTransition({ ...transition, transactionHash: '0xac' }),
    ids.ofTransition({ ...transition, ordinal: 1 }),
    ids.ofDeployment(deployment),
    ids.ofDeployment({ ...deployment, principalId: 'prn_2' }),
    ids.ofDeployment({ ...deployment, recordId: 'agr_2' }),
    ids.ofDeployment({ ...deployment, transactionHash: '0xac' }),
    ids.ofNotification(notification),
    ids.ofNotification({ ...notification, recipient: 'artist' }),
    ids.ofNotification({ ...notification, ruleId: 'rule","patron', recipient: '' }),
    ids.ofNotification({ ...notification, occasion: 'two' }),
    createEventIds(Buffer.from('another secret')).ofTransition(transition),
  ];
  expect(new Set(all).size).toBe(all.length);
});
