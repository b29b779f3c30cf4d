import { expect, test } from 'vitest';
import { type Occurrence, passOnVariables } from '../../../src/records/rules/buildFirings.ts';
import { onReturn } from './documents.ts';

test('values are measured for events alone, and not for mails', () => {
  let reads = 0;
  const occurrence = (channel: 'email' | 'external_webhook'): Occurrence => ({
    rule: {
      ...onReturn,
      recipients: ['eve@mail.example'],
      notification: { ...onReturn.notification, channel },
    },
    templateId: undefined,
    record: {
      id: 'agr_1',
      principalId: 'prn_1',
      chainId: 1,
      displayName: 'Book of sand',
      templateId: 'did:template:book',
      participants: [],
      observers: [],
      notificationTemplate: null,
    },
    occasion: 'now',
    transition: { fromState: 'LENT', toState: 'RETURNED', inputId: 'giveBack' },
    occurredAt: undefined,
    variables: {
      get pages() {
        reads++;
        return '7';
      },
    },
  });
  passOnVariables([occurrence('email'), occurrence('email')]);
  expect(reads).toBe(0);
  passOnVariables([occurrence('email'), occurrence('external_webhook')]);
  expect(reads).toBeGreaterThan(0);
});
