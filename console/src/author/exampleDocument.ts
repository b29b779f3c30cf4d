const reference = (name: string) => `\${variables.${name}}`;

/** A small document with two parties, as a starting point. */
export const exampleDocument = {
  metadata: { templateId: 'did:template:bicycle-loan', name: 'Bicycle loan' },
  variables: {
    owner: { type: 'address', subtype: 'participant', name: 'Owner', validation: { required: true } },
    rider: { type: 'address', subtype: 'participant', name: 'Rider', validation: { required: true } },
    bicycle: { type: 'string', name: 'Bicycle', validation: { required: true, minLength: 3 } },
  },
  content: {
    type: 'md',
    data: `# Bicycle loan\n\n${reference('owner')} lends the bicycle *${reference('bicycle')}* to ${reference('rider')}.`,
  },
  execution: {
    initialize: {
      initialState: 'OFFERED',
      data: { owner: reference('owner'), rider: reference('rider'), bicycle: reference('bicycle') },
    },
    states: {
      OFFERED: { description: 'The rider may take it.' },
      LENT: { description: 'The rider has it.' },
      RETURNED: { description: 'It is back.' },
    },
    inputs: {
      take: {
        displayName: 'Take the bicycle',
        issuer: { type: 'participant', variable: 'rider' },
        data: { note: { type: 'string', name: 'Note', validation: { required: true, maxLength: 200 } } },
      },
      confirmReturn: {
        displayName: 'Confirm the return',
        issuer: { type: 'participant', variable: 'owner' },
        data: {},
      },
    },
    transitions: [
      { from: 'OFFERED', to: 'LENT', conditions: [{ input: 'take' }] },
      { from: 'LENT', to: 'RETURNED', conditions: [{ input: 'confirmReturn' }] },
    ],
  },
};
