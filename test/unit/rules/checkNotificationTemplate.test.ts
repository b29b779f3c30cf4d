import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkNotificationTemplate } from '../../../src/records/rules/checkNotificationTemplate.ts';
import { readRules } from '../../../src/records/rules/notificationTemplate.ts';
import { loan, onDelay, onReturn, template } from './documents.ts';

const everybody = ['lender', 'borrower'].map((variableKey) => ({
  variableKey,
  walletAddress: '0x00000000000000000000000000000000000000A1' as const,
  email: `${variableKey}@example.com`,
}));
type Facts = {
  isMailConfigured?: boolean;
  participants?: typeof everybody;
  observers?: number;
  valueBytes?: number;
};
const check = (
  value: unknown,
  { isMailConfigured = true, participants = everybody, observers = 0, valueBytes = 0 }: Facts = {},
) =>
  checkNotificationTemplate(value, {
    agreement: loan,
    isMailConfigured,
    parties: { participants, observers: Array.from({ length: observers }, (_, at) => `o${at}@example.com`) },
    valueBytes,
  });
/** The issues of a good rule after this change. */
const issuesOf = (change: object, rule: object = onReturn) =>
  check({ rules: [{ ...rule, ...change }] }).issues;
const at = (path: string, message: string) => ({ path: `notificationTemplate.rules.0.${path}`, message });

describe('a good template', () => {
  test('passes without a word', () => {
    expect(check(template)).toEqual({ issues: [], warnings: [] });
  });

  test('is the one that the documents show', () => {
    const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    const shown: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(read('docs/rules.md'))?.[1] ?? '{}');
    const agreement: unknown = JSON.parse(read('examples/agreements/mural-commission.json'));
    const report = checkNotificationTemplate(shown, { agreement, isMailConfigured: false });
    expect(report).toEqual({ issues: [], warnings: [] });
  });

  test('may have no metadata, no rules, and members of its own beside them', () => {
    expect(check({ rules: [], note: 'ours', metadata: { version: 3, owner: 'me' } }).issues).toEqual([]);
  });

  test('may name the deployment, and the absence of a state before it', () => {
    const trigger = { type: 'onTransition', from: [''], inputs: ['__deploy'] };
    expect(issuesOf({ trigger })).toEqual([]);
  });

  test('may name a variable beside the age of a state, where it has no meaning', () => {
    const threshold = { value: 1, unit: 'days' };
    for (const variable of ['end', 'pages', 'dueBack']) {
      const trigger = { ...onDelay.trigger, condition: { type: 'stateAge', variable, threshold } };
      expect(issuesOf({ trigger }, onDelay)).toEqual([]);
    }
  });

  test('may name e-mail addresses, all participants and all observers', () => {
    expect(issuesOf({ recipients: ['*', '@observers', 'reader', 'desk@library.example'] })).toEqual([]);
  });
});

describe('is refused', () => {
  test.each([
    ['text', 'x'],
    ['null', null],
    ['a list', []],
  ])('if it is %s', (_, value) => {
    expect(check(value).issues).toEqual([{ path: 'notificationTemplate', message: 'must be an object' }]);
  });

  test('without rules', () => {
    expect(check({}).issues).toEqual([{ path: 'notificationTemplate.rules', message: 'is missing' }]);
  });

  test.each(['subject', 'body'])('with a blank %s', (member) => {
    for (const blank of [' \n ', '\u200b\u2800']) {
      const notification = { ...onReturn.notification, [member]: blank };
      expect(issuesOf({ notification })).toEqual([at(`notification.${member}`, 'must not be blank')]);
    }
  });

  test.each([
    [{ type: 'customerInvoicePdf' }, 'variant', 'is missing'],
    [{ type: 'customerInvoicePdf', variant: '' }, 'variant', 'must not be blank'],
    [{ type: 'invoice', variant: 'a' }, 'type', 'must be "customerInvoicePdf"'],
    [{ type: 'customerInvoicePdf', variant: 'a', size: 4 }, 'size', 'is not a known field'],
  ])('with the attachment strategy %j', (attachmentStrategy, member, message) => {
    const notification = { ...onReturn.notification, attachmentStrategy };
    expect(issuesOf({ notification })).toEqual([at(`notification.attachmentStrategy.${member}`, message)]);
  });

  test('with states, inputs, dates and recipients that the document does not have', () => {
    const trigger = { type: 'onTransition', from: ['LOST'], to: ['FOUND'], inputs: ['find'] };
    expect(issuesOf({ trigger, recipients: ['finder', 'pages', 'a@b@c'] })).toEqual([
      at('trigger.from.0', 'names "LOST", which is not a declared state'),
      at('trigger.to.0', 'names "FOUND", which is not a declared state'),
      at('trigger.inputs.0', 'names "find", which is not a declared input'),
      ...[0, 1, 2].map((index) =>
        at(`recipients.${index}`, 'must be *, @observers, a variable of type address or an e-mail address'),
      ),
    ]);
  });

  test('with a date that is missing or invalid', () => {
    const withVariable = (variable: string) => ({
      trigger: {
        ...onDelay.trigger,
        states: ['LENT', 'GONE'],
        condition: { ...onDelay.trigger.condition, variable },
      },
    });
    const ofState = at('trigger.states.1', 'names "GONE", which is not a declared state');
    const path = 'trigger.condition.variable';
    expect(issuesOf(withVariable('end'), onDelay)).toEqual([
      ofState,
      at(path, 'names "end", which is not a declared variable'),
    ]);
    expect(issuesOf(withVariable('pages'), onDelay)).toEqual([
      ofState,
      at(path, 'names "pages", which is not of type dateTime'),
    ]);
  });

  test.each([
    [{ value: -1, unit: 'days' }, 'threshold.value', 'must be at least 0'],
    [
      { value: 1, unit: 'months' },
      'threshold.unit',
      'must be "seconds" or "minutes" or "hours" or "days" or "weeks"',
    ],
    [{ value: '1', unit: 'days' }, 'threshold.value', 'must be a number'],
    [{ value: 600, unit: 'weeks' }, 'threshold', 'must not be longer than ten years'],
    [undefined, 'threshold', 'is missing'],
  ])('with the threshold %j', (threshold, path, message) => {
    const trigger = { ...onDelay.trigger, condition: { ...onDelay.trigger.condition, threshold } };
    expect(issuesOf({ trigger }, onDelay)).toEqual([at(`trigger.condition.${path}`, message)]);
  });

  test('with an interval of no length', () => {
    const trigger = { ...onDelay.trigger, checkInterval: { value: 0, unit: 'days' } };
    expect(issuesOf({ trigger }, onDelay)).toEqual([
      at('trigger.checkInterval', 'must be at least a second'),
    ]);
  });

  test('without states of a temporal rule, and without recipients', () => {
    const trigger = { ...onDelay.trigger, states: [] };
    expect(issuesOf({ trigger, recipients: [] }, onDelay)).toEqual([
      at('trigger.states', 'must name at least one state'),
      at('recipients', 'must name at least one'),
    ]);
  });

  test('with no occurrences at all', () => {
    expect(issuesOf({ constraints: { maxOccurrences: 0 } })).toEqual([
      at('constraints.maxOccurrences', 'must be more than 0'),
    ]);
  });

  test.each([0, 1.5, '2'])('with %j as the number of occurrences', (maxOccurrences) => {
    const paths = issuesOf({ constraints: { maxOccurrences } }).map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(['notificationTemplate.rules.0.constraints.maxOccurrences']));
  });

  test('with a repeated id, and with unknown members', () => {
    expect(check({ rules: [onReturn, { ...onDelay, id: 'returned', recipient: 'reader' }] }).issues).toEqual([
      { path: 'notificationTemplate.rules.1.recipient', message: 'is not a known field' },
      { path: 'notificationTemplate.rules.1.id', message: 'must not repeat the id of an earlier rule' },
    ]);
  });

  test('with more recipients than one event may notify', () => {
    const rules = Array.from({ length: 25 }, (_, at) => ({
      ...onReturn,
      id: `r${at}`,
      recipients: ['@observers'],
    }));
    expect(check({ rules }, { observers: 10 }).issues).toEqual([]);
    expect(check({ rules }, { observers: 11 }).issues).toEqual([
      {
        path: 'notificationTemplate.rules',
        message: 'must not have more than 250 recipients together, they have 275',
      },
    ]);
  });

  test('whether it is switched off or not', () => {
    expect(issuesOf({ enabled: false, recipients: ['finder'] })).toHaveLength(1);
  });

  test('for everything at once', () => {
    const bad = {
      ...onReturn,
      recipients: ['finder'],
      notification: { subject: '', body: 'x', colour: 'red' },
    };
    expect(check({ rules: [bad, bad] }).issues.map(({ path }) => path)).toEqual([
      'notificationTemplate.rules.0.notification.subject',
      'notificationTemplate.rules.0.notification.colour',
      'notificationTemplate.rules.1.notification.subject',
      'notificationTemplate.rules.1.notification.colour',
      'notificationTemplate.rules.1.id',
      'notificationTemplate.rules.0.recipients.0',
      'notificationTemplate.rules.1.recipients.0',
    ]);
  });
});

describe('is accepted with a warning', () => {
  const mail = { subject: 'Back', body: 'The book is back.' };
  const warningsOf = (notification: object, isMailConfigured = true) =>
    check({ rules: [{ ...onReturn, notification }] }, { isMailConfigured }).warnings;

  test('if mails are to be sent (the default channel) on an installation without a mail server', () => {
    const message = 'is email, but this service has no mail server; nothing will be sent';
    expect(warningsOf(mail, false)).toEqual([at('notification.channel', message)]);
    expect(warningsOf(mail)).toEqual([]);
    expect(warningsOf({ ...mail, channel: 'external_webhook' }, false)).toEqual([]);
  });

  test('if a mail is to have an attachment', () => {
    const attachmentStrategy = { type: 'customerInvoicePdf', variant: 'short' };
    const message = 'is only included in webhooks; mails have no attachments';
    expect(warningsOf({ ...mail, attachmentStrategy })).toEqual([
      at('notification.attachmentStrategy', message),
    ]);
  });

  test('if it is for all participants or all observers of a deployment that has none', () => {
    const rules = [{ ...onReturn, recipients: ['lender', '*', '@observers'] }];
    expect(check({ rules }, { participants: [] })).toEqual({
      issues: [],
      warnings: [
        at('recipients.1', 'reaches nobody, as the deployment has no participants'),
        at('recipients.2', 'reaches nobody, as the deployment has no observers'),
      ],
    });
    expect(check({ rules }, { observers: 1 }).warnings).toEqual([]);
  });

  test('if a text names an unknown variable', () => {
    const body = ['dueBack', 'finder'].map((name) => `\${variables.${name}}`).join();
    expect(warningsOf({ ...mail, body })).toEqual([
      at('notification.body', 'names "finder", which is not a declared variable'),
    ]);
  });
});

describe('what would cost others', () => {
  const path = 'notificationTemplate.rules';

  test('a rule that asks to fire more often than once a minute gets a warning that it will not', () => {
    const trigger = { ...onDelay.trigger, checkInterval: { value: 59, unit: 'seconds' }, fireOnce: false };
    expect(check({ rules: [{ ...onDelay, trigger }] })).toEqual({
      issues: [],
      warnings: [at('trigger.checkInterval', 'is less than a minute; the rule fires at most once a minute')],
    });
  });

  test('a mail to somebody without a part gets a warning that it is not sent; an event names every recipient of the rule', () => {
    const ofChannel = (channel: string) => {
      const notification = { ...onReturn.notification, channel };
      const recipients = ['Lender@example.com', 'stranger@example.com'];
      return check({ rules: [{ ...onReturn, recipients, notification }] }).warnings;
    };
    expect(ofChannel('email').filter(({ path: place }) => place.includes('recipients'))).toEqual([
      at('recipients.1', 'is not the address of a participant or observer; no mail will be sent to it'),
    ]);
    expect(ofChannel('external_webhook').filter(({ path: place }) => place.includes('recipients'))).toEqual(
      [],
    );
  });

  test('values for many recipients are bounded together', () => {
    const rules = [{ ...onReturn, recipients: ['@observers'] }];
    const facts = { observers: 200, valueBytes: 83_886 };
    expect(check({ rules }, facts).issues).toEqual([]);
    const message =
      'must not send more than 16777216 bytes of values to all recipients together (200 recipients with 83887 bytes each)';
    expect(check({ rules }, { ...facts, valueBytes: 83_887 }).issues).toEqual([{ path, message }]);
  });
});

test('rules that are stored apply even if nobody sees anything of their names', () => {
  const unseen = '\u200b';
  const notification = { ...onReturn.notification, subject: unseen, body: unseen };
  const stored = { metadata: { id: unseen }, rules: [onDelay, { ...onReturn, id: unseen, notification }] };
  expect(check(stored).issues.map(({ path }) => path)).toEqual([
    'notificationTemplate.metadata.id',
    ...['id', 'notification.subject', 'notification.body'].map(
      (name) => `notificationTemplate.rules.1.${name}`,
    ),
  ]);
  expect(readRules(JSON.stringify(stored)).rules).toHaveLength(2);
});
