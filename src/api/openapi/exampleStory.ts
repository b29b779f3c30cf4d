/**
 * The content of the API's examples: one agreement that two parties deploy and advance, from route to route.
 * The permits are signed by the second and third account of local chains, for Linea Sepolia and a factory
 * that has deployed nothing yet. There the examples run unchanged, in the order of the document.
 */

const chainId = 59141;
const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const rider = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
/** The year 2100. A caller's permit should rather be valid for an hour. */
const deadline = 4_102_444_800;

const reference = (name: string) => `\${variables.${name}}`;

const agreement = {
  metadata: { templateId: 'did:template:bicycle-loan', id: 'did:example:bicycle-loan', name: 'Bicycle loan' },
  variables: {
    owner: { type: 'address', subtype: 'participant', validation: { required: true } },
    rider: { type: 'address', subtype: 'participant', validation: { required: true } },
    bicycle: { type: 'string', validation: { required: true, maxLength: 100 } },
    depositCents: { type: 'uint256', validation: { required: true, min: 1 } },
  },
  content: {
    type: 'md',
    data: `# Bicycle loan\n\n${reference('owner')} lends ${reference('bicycle')} to ${reference('rider')}.`,
  },
  execution: {
    initialize: {
      initialState: 'OFFERED',
      data: {
        owner: reference('owner'),
        rider: reference('rider'),
        bicycle: reference('bicycle'),
        depositCents: reference('depositCents'),
      },
    },
    states: {
      OFFERED: { description: 'The rider may take the bicycle.' },
      LENT: { description: 'The rider has the bicycle.' },
      RETURNED: { description: 'The bicycle is back.' },
    },
    inputs: {
      take: {
        issuer: { type: 'participant', variable: 'rider' },
        schema: { note: { type: 'string', validation: { required: false, maxLength: 200 } } },
      },
      giveBack: { issuer: { type: 'participant', variable: 'rider' }, schema: {} },
    },
    transitions: [
      { from: 'OFFERED', to: 'LENT', conditions: [{ input: 'take' }] },
      { from: 'LENT', to: 'RETURNED', conditions: [{ input: 'giveBack' }] },
    ],
  },
};

const deployment = {
  agreement,
  chainId,
  initValues: { bicycle: 'A green tandem', depositCents: '5000' },
  participants: [
    { variableKey: 'owner', walletAddress: owner, email: 'owner@example.com' },
    { variableKey: 'rider', walletAddress: rider },
  ],
  observers: ['archive@example.com'],
};

const hosted = {
  docUri: 'https://agreements.example.com/v0/agreements/documents/bicycle-loan-1',
  documentId: 'bicycle-loan-1',
};

const input = { inputId: 'take', values: { note: 'The rear lamp flickers.' }, signer: rider, deadline };

/** The steps simulated before anything is signed: the wrong party tries the second one. */
const steps = [
  { inputId: 'take', values: { note: 'The rear lamp flickers.' }, by: 'rider' },
  { inputId: 'giveBack', values: {}, by: 'owner' },
  { inputId: 'giveBack', values: {}, by: 'rider' },
];

export const exampleStory = {
  agreement,
  deployment,
  steps,
  /** A deployment before its signature. */
  unsignedDeployment: { ...deployment, signer: owner, deadline, ...hosted },
  signedDeployment: {
    ...deployment,
    displayName: 'Tandem for the summer',
    signer: owner,
    deadline,
    ...hosted,
    signature: {
      v: 27,
      r: '0x8dda28523d6246f8c7d2c6dac472bce7e6d0d82b838ba1183e806f3e693a9009',
      s: '0x70b1dff92b299ccb138e02354e6e8793c174a7f1cfc31a5c1c34aa191dd96e5e',
    },
  },
  /** A deployment prepared for its owner to sign. */
  preparedDeployment: {
    ...deployment,
    displayName: 'Tandem for the winter',
    signer: owner,
    docUri: 'https://agreements.example.com/v0/agreements/documents/bicycle-loan-2',
    documentId: 'bicycle-loan-2',
  },
  ownerOfDraft: { signer: owner, deadline },
  signedDraft: {
    signer: owner,
    deadline,
    signature: {
      v: 28,
      r: '0xc1ac274d0c7123526a33f038081e82d1435b148b38cf19a6560cca6f3241bedd',
      s: '0x56e8d0c296fda31f66e184d3fa96a1886b87b48a812191eb34b2214b7c1225f8',
    },
  },
  unsignedInput: input,
  /** What follows once that one is mined. */
  unsignedReturn: { inputId: 'giveBack', values: {}, signer: rider, deadline },
  signedInput: {
    ...input,
    signature: {
      v: 27,
      r: '0xad52e3a9c16823c71a971597f1b7bcedfcb0c915618ff0c90a59170353e2de1c',
      s: '0x5d18eaa3ce29f85bbd3faa96b470f21a2560d7be3725055db3afe78e5fb5fe60',
    },
  },
  /** The factory's second agreement, deployed by somebody else. */
  adoption: {
    agreement,
    chainId,
    address: '0x0ECFEDC6285093793B67eCc3C65928e4bb5fa207',
    displayName: 'Tandem, lent elsewhere',
    participants: deployment.participants,
    observers: [],
  },
  documentId: hosted.documentId,
} as const;
