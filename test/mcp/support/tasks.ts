import { expect } from 'vitest';
import { z } from 'zod';
import type { Answer } from './connectAgent.ts';
import { chainId, type TaskWorld } from './taskWorld.ts';

type Call = (world: TaskWorld, answers: readonly Answer[]) => [name: string, args: Record<string, unknown>];

/** A task in words, the calls that solve it, and the expected content of the last answer. */
export type Task = {
  readonly words: string;
  readonly calls: readonly Call[];
  readonly expects: (world: TaskWorld) => Record<string, unknown>;
};

const foundShape = z.object({
  agreements: z.tuple([z.object({ agreementId: z.string() })]).rest(z.unknown()),
});
/** The id that a search found. */
function found(answers: readonly Answer[]): string {
  return foundShape.parse(answers[0]?.data).agreements[0].agreementId;
}

const find =
  (name: 'offered' | 'inReview'): Call =>
  ({ names }) => ['find_agreements', { text: names[name] }];
const read =
  (more: Record<string, unknown> = {}): Call =>
  (_world, answers) => ['read_agreement', { agreementId: found(answers), ...more }];
const simulate =
  (...steps: readonly Record<string, unknown>[]): Call =>
  (_world, answers) => ['simulate_agreement', { agreementId: found(answers), steps }];
const has = (value: Record<string, unknown>) => expect.objectContaining(value);
const one = (value: Record<string, unknown>) => expect.arrayContaining([has(value)]);

const stepBack = { inputId: 'stepBack', by: 'artist', values: { reason: 'No time' } };

export const tasks: readonly Task[] = [
  {
    words: 'Which agreements of ours wait for a review of a sketch?',
    calls: [() => ['find_agreements', { state: 'SKETCH_IN_REVIEW', limit: 100 }]],
    expects: ({ names }) => ({ agreements: one({ quotedName: names.inReview }) }),
  },
  {
    words: 'Who has to act on the courtyard mural?',
    calls: [find('offered'), read()],
    expects: ({ artist }) => ({ next: one({ inputId: 'acceptCommission', wallets: [artist.address] }) }),
  },
  {
    words: 'What happens to the courtyard mural if the artist steps back?',
    calls: [find('offered'), simulate(stepBack)],
    expects: () => ({ state: 'CALLED_OFF', isFinal: true }),
  },
  {
    words: 'What can the patron do about the harbour mural, and where does each choice lead?',
    calls: [find('inReview'), read()],
    expects: () => ({
      next: expect.arrayContaining([
        has({ inputId: 'approveSketch', leadsTo: 'PAINTING' }),
        has({ inputId: 'requestChanges', leadsTo: 'SKETCHING' }),
      ]),
    }),
  },
  {
    words: 'Prepare the acceptance of the courtyard mural for the wallet of the artist.',
    calls: [
      find('offered'),
      read(),
      ({ artist }, answers) => [
        'prepare_signature',
        {
          purpose: 'input',
          agreementId: found(answers),
          inputId: 'acceptCommission',
          values: { artistSignature: 'A' },
          signer: artist.address,
        },
      ],
    ],
    expects: () => ({ typedData: has({ primaryType: 'PermitInput' }), verdict: { ok: true } }),
  },
  {
    words: 'May a stranger accept the courtyard mural?',
    calls: [
      find('offered'),
      ({ stranger }, answers) => [
        'simulate_agreement',
        {
          agreementId: found(answers),
          steps: [{ inputId: 'acceptCommission', by: stranger.address, values: { artistSignature: 'A' } }],
        },
      ],
    ],
    expects: () => ({ steps: [{ outcome: 'refused', reason: 'issuer_not_allowed' }], state: 'OFFERED' }),
  },
  {
    words: 'Give the artist of the courtyard mural an address at which to sign.',
    calls: [
      find('offered'),
      (_world, answers) => [
        'prepare_signature',
        { purpose: 'link', agreementId: found(answers), participant: 'artist' },
      ],
    ],
    expects: () => ({ link: { url: expect.stringContaining('/console/sign#'), shown: 'notShown' } }),
  },
  {
    words: 'What has happened to the harbour mural so far, and who did it?',
    calls: [find('inReview'), read({ include: ['history'] })],
    expects: ({ artist }) => ({
      history: {
        inputs: [{ inputId: 'submitSketch', signer: artist.address }, { inputId: 'acceptCommission' }],
      },
    }),
  },
  {
    words: 'What does the text of the harbour mural say about stepping back?',
    calls: [find('inReview'), read({ include: ['document'] })],
    expects: () => ({ quotedDocument: expect.stringMatching(/either of the two may step back/) }),
  },
  {
    words: 'Where can the sketch of the harbour mural be seen?',
    calls: [find('inReview'), read()],
    expects: () => ({ quotedValues: { sketchUri: 'https://example.com/sketch' } }),
  },
  {
    words: 'How large may the reason be that is given when stepping back from the courtyard mural?',
    calls: [find('offered'), read()],
    expects: () => ({
      next: one({
        inputId: 'stepBack',
        fields: [has({ name: 'reason', quotedValidation: has({ minLength: 3 }) })],
      }),
    }),
  },
  {
    words: 'What would the draft of the loan do if the rider never takes the bicycle?',
    calls: [
      ({ loan, patron, artist }) => [
        'simulate_agreement',
        {
          agreement: loan,
          chainId,
          initValues: { bicycle: 'A tandem', depositCents: '1' },
          participants: [
            { variableKey: 'owner', walletAddress: patron.address },
            { variableKey: 'rider', walletAddress: artist.address },
          ],
          steps: [],
        },
      ],
    ],
    expects: () => ({ state: 'OFFERED', isFinal: false, next: [{ inputId: 'take', by: ['rider'] }] }),
  },
  {
    words: 'Is the document of the loan all right?',
    calls: [({ loan }) => ['draft_agreement', { agreement: loan }]],
    expects: () => ({ valid: true, findings: [], participantVariables: ['owner', 'rider'] }),
  },
  {
    words: 'What is wrong with a loan whose second transition starts from a state that is not there?',
    calls: [
      ({ loan }) => {
        const { execution } = z.looseObject({ execution: z.looseObject({}) }).parse(loan);
        const transitions = [{ from: 'NOWHERE', to: 'LENT', conditions: [{ input: 'take' }] }];
        return ['draft_agreement', { agreement: { ...loan, execution: { ...execution, transitions } } }];
      },
    ],
    expects: () => ({
      valid: false,
      problems: one({ path: expect.stringContaining('transitions') }),
    }),
  },
  {
    words: 'What is missing before the mural can be deployed with no wallets named?',
    calls: [({ mural }) => ['draft_agreement', { agreement: mural, chainId }]],
    expects: () => ({ valid: true, deployment: { ready: false, problems: expect.any(Array) } }),
  },
  {
    words: 'Prepare the deployment of another mural for the patron to sign.',
    calls: [
      ({ muralDeployment, patron }) => [
        'prepare_signature',
        { purpose: 'deploy', ...muralDeployment, signer: patron.address },
      ],
    ],
    expects: () => ({
      typedData: has({ primaryType: 'PermitAgreementWithActions' }),
      documentId: expect.any(String),
      verdict: { ok: true },
    }),
  },
  {
    words: 'Can the patron still take over the harbour mural today, if the sketch is approved first?',
    calls: [
      find('inReview'),
      ({ sketchHash }, answers) => [
        'simulate_agreement',
        {
          agreementId: found(answers),
          steps: [
            { inputId: 'approveSketch', by: 'patron', values: { approvedSketchHash: sketchHash } },
            { inputId: 'takeOver', by: 'patron', values: { remarks: '' } },
          ],
        },
      ],
    ],
    expects: () => ({
      steps: [{ outcome: 'accepted' }, { outcome: 'refused', reason: 'state_not_accepting' }],
      state: 'PAINTING',
    }),
  },
  {
    words: 'What has happened lately?',
    calls: [() => ['read_events', { limit: 100 }]],
    expects: () => ({ events: expect.any(Array), nextCursor: expect.any(String) }),
  },
  {
    words: 'Would anybody be notified if the artist stepped back from the courtyard mural?',
    calls: [
      find('offered'),
      (_world, answers) => ['read_events', { agreementId: found(answers), preview: { inputId: 'stepBack' } }],
    ],
    expects: () => ({ rules: [] }),
  },
  {
    words: 'Is the harbour mural on a chain already, and at which address?',
    calls: [find('inReview')],
    expects: () => ({ agreements: [{ status: 'Deployed', chainId, address: expect.stringMatching(/^0x/) }] }),
  },
];
