import { expect, test } from 'vitest';
import { describeRule } from '../../../console/src/rules/describeRule.ts';

const describeTemporal = (trigger: object) =>
  describeRule({
    id: 'reminder',
    recipients: ['tenant'],
    trigger: {
      type: 'temporal',
      states: ['ACTIVE'],
      condition: { type: 'stateAge', threshold: { value: 3, unit: 'days' } },
      ...trigger,
    },
    notification: { channel: 'email' },
  });

test.each([
  ['once with fireOnce', { fireOnce: true }, 'once per stay in the state'],
  [
    'once with fireOnce and an interval',
    { fireOnce: true, checkInterval: { value: 2, unit: 'hours' } },
    'once per stay in the state',
  ],
  ['at its interval', { checkInterval: { value: 2, unit: 'hours' } }, 'every 2 hours'],
  ['daily without either', {}, 'every day'],
  ['daily if it is said not to fire once', { fireOnce: false }, 'every day'],
])('a rule of time is described as firing %s', (_, trigger, often) => {
  expect(describeTemporal(trigger)).toBe(
    `When ACTIVE has lasted for 3 days (${often}), notify tenant by email.`,
  );
});
