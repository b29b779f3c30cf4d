import { exampleStory } from '../../openapi/exampleStory.ts';

const reference = (name: string) => `\${variables.${name}}`;
const party = (name: string) => ({ type: 'participant', variable: name });
const on = (from: string, input: string, to: string) => ({ from, to, conditions: [{ input }] });

/** The agreement of the API's examples. */
export const simpleLoan = exampleStory.agreement;

/**
 * Work that is offered, accepted, delivered, reviewed in rounds, and closed, or cancelled before the
 * delivery.
 */
export const milestoneWork = {
  metadata: {
    templateId: 'did:template:milestone-work',
    id: 'did:example:milestone-work',
    name: 'Work with a milestone',
  },
  variables: {
    client: { type: 'address', subtype: 'participant', validation: { required: true } },
    contractor: { type: 'address', subtype: 'participant', validation: { required: true } },
    task: { type: 'string', validation: { required: true, minLength: 10, maxLength: 1_000 } },
    feeCents: { type: 'uint256', validation: { required: true, min: 1 } },
    dueOn: { type: 'dateTime', validation: { required: true } },
    resultUri: { type: 'string', validation: { required: true, minLength: 8, maxLength: 300 } },
    resultHash: { type: 'bytes32', validation: { required: true } },
  },
  content: {
    type: 'md',
    data: [
      '# Work with a milestone',
      `${reference('client')} orders from ${reference('contractor')}:`,
      `> ${reference('task')}`,
      `The fee is ${reference('feeCents')} cents, and the work is due on ${reference('dueOn')}.`,
      'Until the work is delivered, either party may cancel with a reason. After a delivery the client accepts it or asks for changes.',
      `Result: ${reference('resultUri')}`,
    ].join('\n\n'),
  },
  execution: {
    initialize: {
      initialState: 'OFFERED',
      data: {
        client: reference('client'),
        contractor: reference('contractor'),
        task: reference('task'),
        feeCents: reference('feeCents'),
        dueOn: reference('dueOn'),
      },
    },
    states: {
      OFFERED: { description: 'The client has made the offer; the contractor has not answered.' },
      AT_WORK: { description: 'The contractor owes the result.' },
      DELIVERED: { description: 'The client looks at what was delivered.' },
      ACCEPTED: { description: 'The client has accepted the result.' },
      CANCELLED: { description: 'One of the two has cancelled.' },
    },
    inputs: {
      acceptOffer: { issuer: party('contractor'), schema: {} },
      deliver: {
        issuer: party('contractor'),
        data: { resultUri: reference('resultUri'), resultHash: reference('resultHash') },
      },
      askForChanges: {
        issuer: party('client'),
        schema: {
          wishes: { type: 'string', validation: { required: true, minLength: 10, maxLength: 2_000 } },
        },
      },
      acceptResult: {
        issuer: party('client'),
        schema: { acceptedHash: { type: 'bytes32', validation: { required: true } } },
      },
      cancel: {
        issuer: [reference('client'), reference('contractor')],
        schema: { reason: { type: 'string', validation: { required: true, minLength: 3, maxLength: 500 } } },
      },
    },
    transitions: [
      on('OFFERED', 'acceptOffer', 'AT_WORK'),
      on('AT_WORK', 'deliver', 'DELIVERED'),
      on('DELIVERED', 'askForChanges', 'AT_WORK'),
      on('DELIVERED', 'acceptResult', 'ACCEPTED'),
      on('OFFERED', 'cancel', 'CANCELLED'),
      on('AT_WORK', 'cancel', 'CANCELLED'),
    ],
  },
};
