import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterNames, matchesSubscription } from '../../../src/records/webhooks/subscriptionFilters.ts';

const transitioned = {
  type: 'agreement.transitioned',
  data: {
    agreementId: 'agr_1',
    templateId: 'lease',
    inputId: 'sign',
    fromState: 'OFFERED',
    toState: 'SIGNED',
    // Transitions have no rule id, so filters must ignore this one.
    ruleId: 'none',
  },
};
const deployed = {
  type: 'agreement.transitioned',
  data: { ...transitioned.data, inputId: '__deploy', fromState: '', toState: 'OFFERED' },
};
const temporal = {
  type: 'agreement.notification.triggered',
  data: { agreementId: 'agr_1', templateId: 'lease', ruleId: 'remind' },
};
const triggered = {
  type: 'agreement.notification.triggered',
  data: { ...temporal.data, transition: { inputId: 'sign', fromState: 'OFFERED', toState: 'SIGNED' } },
};
const both = ['agreement.transitioned', 'agreement.notification.triggered'] as const;
const wants = (filters: Record<string, string[]>, event: { type: string; data: unknown }) =>
  matchesSubscription({ eventTypes: both, filters }, event);

describe('a subscription', () => {
  test('gets the types that it names and no other', () => {
    const only = { eventTypes: ['agreement.transitioned'] as const, filters: null };
    expect(matchesSubscription(only, transitioned)).toBe(true);
    expect(matchesSubscription(only, triggered)).toBe(false);
    expect(matchesSubscription({ eventTypes: both, filters: null }, { type: 'webhook.test', data: {} })).toBe(
      false,
    );
  });

  test.each([
    ['agreementIds', 'agr_1', 'agr_2'],
    ['templateIds', 'lease', 'Lease'],
    ['inputIds', 'sign', 'sig'],
    ['fromStates', 'OFFERED', ''],
    ['toStates', 'SIGNED', 'SIGNED '],
  ])('gets by %s exactly that value, of either type', (name, value, other) => {
    for (const event of [transitioned, triggered]) {
      expect(wants({ [name]: [other, value] }, event)).toBe(true);
      expect(wants({ [name]: [other] }, event)).toBe(false);
      expect(wants({ [name]: [] }, event)).toBe(true);
    }
  });

  test('gets notifications by the rule; transitions have none and pass', () => {
    expect(wants({ ruleIds: ['remind'] }, triggered)).toBe(true);
    expect(wants({ ruleIds: ['other'] }, triggered)).toBe(false);
    expect(wants({ ruleIds: ['other'] }, transitioned)).toBe(true);
  });

  test('gets deployments alone by their input, or by the empty state before them', () => {
    for (const filters of [{ inputIds: ['__deploy'] }, { fromStates: [''] }]) {
      expect(wants(filters, deployed)).toBe(true);
      expect(wants(filters, transitioned)).toBe(false);
    }
  });

  test('never gets a temporal notification by input or state', () => {
    for (const name of ['inputIds', 'fromStates', 'toStates'])
      expect(wants({ [name]: ['', 'undefined', 'sign', 'OFFERED', 'SIGNED'] }, temporal)).toBe(false);
    expect(wants({ ruleIds: ['remind'], agreementIds: ['agr_1'], inputIds: [] }, temporal)).toBe(true);
  });

  test('gets what every filter lets pass by itself, and nothing else', () => {
    const values = fc.subarray(['agr_1', 'lease', 'sign', 'OFFERED', 'SIGNED', 'remind', '__deploy', '']);
    const entries = fc.dictionary(fc.constantFrom(...filterNames), values, { noNullPrototype: true });
    const events = fc.constantFrom(transitioned, deployed, temporal, triggered);
    fc.assert(
      fc.property(entries, events, (filters, event) => {
        const each = Object.entries(filters).every(([name, wanted]) => wants({ [name]: wanted }, event));
        expect(wants(filters, event)).toBe(each);
      }),
    );
  });

  test('gets nothing by members that every object has', () => {
    const strange = { type: 'agreement.transitioned', data: Object.create({ agreementId: 'agr_1' }) };
    expect(wants({ agreementIds: ['agr_1'] }, strange)).toBe(false);
    expect(wants({ agreementIds: ['agr_1'] }, { type: 'agreement.transitioned', data: null })).toBe(false);
  });
});
