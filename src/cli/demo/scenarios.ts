import { readFileSync } from 'node:fs';
import { keccak256, stringToHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

/** The two parties of every example: one signs the deployment, the other answers. */
export type Party = 'author' | 'partner';
export type Parties = Record<Party, PrivateKeyAccount>;

export type Step = {
  inputId: string;
  by: Party;
  values: Record<string, string | boolean>;
  /** Sent by the party's own wallet directly to the contract. */
  direct?: true;
};

export type Scenario = {
  title: string;
  file: string;
  chainId: number;
  /** The participant variable of each party. */
  parties: Record<Party, string>;
  initValues: Record<string, string>;
  /** Whether the document pays with a token, which is then deployed and named in these variables. */
  payment?: { token: string; amount: string };
  steps: readonly Step[];
};

/** The authored document, parsed again each time: it is hashed as parsed. */
export function readExample(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../../../examples/agreements/${file}`, import.meta.url), 'utf8'));
}

const hashOf = (text: string) => keccak256(stringToHex(text));

const mural = {
  file: 'mural-commission.json',
  parties: { author: 'patron', partner: 'artist' },
  initValues: { wall: 'East wall of the old tram depot', wallSquareMetres: '84' },
} as const;

const accept: Step = { inputId: 'acceptCommission', by: 'partner', values: { artistSignature: 'M. Tamm' } };

/** Each chain has its own document; together they cover all interesting transitions. */
export const scenarios: readonly Scenario[] = [
  {
    ...mural,
    title: 'Mural commission',
    chainId: 59141,
    steps: [
      accept,
      sketch('Herons over the harbour'),
      {
        inputId: 'requestChanges',
        by: 'author',
        values: { wishes: 'Fewer herons, and please keep the old lettering.' },
        direct: true,
      },
      sketch('Two herons, the lettering kept'),
      {
        inputId: 'approveSketch',
        by: 'author',
        values: { approvedSketchHash: hashOf('Two herons, the lettering kept') },
      },
      {
        inputId: 'handOver',
        by: 'partner',
        values: { finishedOn: '2026-09-30T16:00:00Z', scaffoldingRemoved: true },
      },
      { inputId: 'takeOver', by: 'author', values: {} },
    ],
  },
  {
    ...mural,
    title: 'Mural commission, called off',
    chainId: 59141,
    steps: [
      accept,
      {
        inputId: 'stepBack',
        by: 'author',
        values: { reason: 'The depot is to be torn down.' },
        direct: true,
      },
    ],
  },
  {
    title: 'Camera rental',
    file: 'camera-rental.json',
    chainId: 11155111,
    parties: { author: 'owner', partner: 'borrower' },
    initValues: {
      equipment: 'Field camera 4x5 with two lenses',
      dailyRateCents: '4500',
      dueBack: '2026-07-14T12:00:00Z',
    },
    steps: [
      {
        inputId: 'sign',
        by: 'partner',
        values: { signature: 'J. Okafor', depositReceipt: hashOf('deposit') },
      },
      {
        inputId: 'giveBack',
        by: 'partner',
        values: { returnedAt: '2026-07-14T10:30:00Z', shutterCount: '312' },
        direct: true,
      },
      {
        inputId: 'reportDamage',
        by: 'author',
        values: { damage: 'The ground glass is cracked.', photosHash: hashOf('photos'), claimCents: '18000' },
      },
      { inputId: 'dispute', by: 'partner', values: { statement: 'It was cracked when I took it over.' } },
      { inputId: 'settle', by: 'author', values: { agreedCents: '9000' } },
    ],
  },
  {
    title: 'Translation, paid on acceptance',
    file: 'translation-auto-pay.json',
    chainId: 84532,
    parties: { author: 'publisher', partner: 'translator' },
    initValues: { work: 'The Glass Bees', languages: 'German to English' },
    payment: { token: 'feeToken', amount: 'fee' },
    steps: [
      { inputId: 'confirmOrder', by: 'partner', values: { pages: '180', signature: 'L. Haas' } },
      deliver('first draft'),
      {
        inputId: 'sendBack',
        by: 'author',
        values: { comments: 'Chapter four is missing its last page.' },
        direct: true,
      },
      deliver('second draft'),
      { inputId: 'accept', by: 'author', values: { acceptedHash: hashOf('second draft') } },
    ],
  },
];

function sketch(text: string): Step {
  const values = {
    sketchUri: `https://example.com/sketches/${hashOf(text).slice(2, 10)}`,
    sketchHash: hashOf(text),
  };
  return { inputId: 'submitSketch', by: 'partner', values };
}

function deliver(text: string): Step {
  const values = { manuscriptHash: hashOf(text), deliveredAt: '2026-05-02T08:00:00Z' };
  return { inputId: 'deliver', by: 'partner', values };
}
