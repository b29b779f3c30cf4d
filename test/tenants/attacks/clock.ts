import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, long, times } from './attack.ts';
import { buildDocument } from './document.ts';

const agreements = 4;
/** As many rules as an agreement may have, with as much text as a request may have. */
const rulesEach = 100;
const recipients = times(2, (at) => `observer${at}@example.org`);
const pauseMs = 500;

const buildRules = (channel: 'email' | 'external_webhook') =>
  times(rulesEach, (at) => ({
    id: `r${at}`,
    name: 'x',
    trigger: {
      type: 'temporal',
      states: ['A'],
      condition: { type: 'stateAge', threshold: { value: 1, unit: 'minutes' } },
      checkInterval: { value: 1, unit: 'minutes' },
    },
    recipients,
    notification: { channel, subject: long('x', 400), body: long('x', 9_000) },
  }));

const firing = (name: string, channel: 'email' | 'external_webhook'): Attack => ({
  name,
  async run({ deploy, makeRulesDue, isOn }) {
    const notificationTemplate = { rules: buildRules(channel) };
    for (let at = 0; at < agreements; at++)
      await deploy({ agreement: buildDocument(), observers: recipients, notificationTemplate });
    while (isOn()) {
      await makeRulesDue();
      await delay(pauseMs);
    }
  },
});

/** Timed rules that are all due at once, repeatedly. */
export const clock: readonly Attack[] = [
  firing('rules of time whose events are due over and over', 'external_webhook'),
  firing('rules of time whose mails are due over and over', 'email'),
];
