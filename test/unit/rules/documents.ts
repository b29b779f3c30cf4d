import type {
  NotificationTemplate,
  Rule,
  TemporalRule,
} from '../../../src/records/rules/notificationTemplate.ts';

const reference = (name: string) => `\${variables.${name}}`;

/** A loan of a book, with a due date. */
export const loan = {
  metadata: { templateId: 'did:template:loan' },
  variables: {
    lender: { type: 'address', subtype: 'participant' },
    reader: { type: 'address', subtype: 'participant' },
    dueBack: { type: 'dateTime' },
    pages: { type: 'uint256' },
  },
  content: { type: 'md', data: '' },
  execution: {
    initialize: { initialState: 'LENT', data: { lender: reference('lender'), reader: reference('reader') } },
    states: { LENT: { description: '' }, RETURNED: { description: '' } },
    inputs: {
      giveBack: { issuer: reference('reader'), data: {} },
      extend: { issuer: reference('lender'), data: { dueBack: reference('dueBack') } },
    },
    transitions: [{ from: 'LENT', to: 'RETURNED', conditions: [{ input: 'giveBack' }] }],
  },
};

export const onReturn: Rule = {
  id: 'returned',
  name: 'The book is back',
  trigger: { type: 'onTransition', from: ['LENT'], to: ['RETURNED'], inputs: ['giveBack'] },
  recipients: ['lender'],
  notification: { channel: 'external_webhook', subject: 'Back', body: 'The book is back.' },
};

export const onDelay: TemporalRule = {
  id: 'late',
  name: 'The book is late',
  trigger: {
    type: 'temporal',
    states: ['LENT'],
    condition: {
      type: 'elapsedSinceVariable',
      variable: 'dueBack',
      threshold: { value: 1, unit: 'days' },
    },
  },
  recipients: ['*'],
  notification: { channel: 'external_webhook', subject: 'Late', body: 'The book is late.' },
};

export const template: NotificationTemplate = { metadata: { id: 'loan-rules' }, rules: [onReturn, onDelay] };
