import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { findDifferences } from '../../../src/cli/demo/findDifferences.ts';
import type { Played } from '../../../src/cli/demo/playScenario.ts';
import { type Scenario, scenarios } from '../../../src/cli/demo/scenarios.ts';

const parties = {
  author: privateKeyToAccount(`0x${'11'.repeat(32)}`),
  partner: privateKeyToAccount(`0x${'22'.repeat(32)}`),
};
const address = `0x${'aa'.repeat(20)}` as const;

function someScenario(): Scenario {
  const [scenario] = scenarios;
  if (!scenario) throw new Error('there is no scenario');
  return scenario;
}

/** Two inputs, the second sent directly to the chain. The service shows them exactly as they happened. */
function playFaithfully(): Played {
  const inputs = [
    {
      inputId: 'one',
      fromState: 'A',
      toState: 'B',
      txHash: `0x${'01'.repeat(32)}` as const,
      blockNumber: 5n,
    },
    {
      inputId: 'two',
      fromState: 'B',
      toState: 'C',
      txHash: `0x${'02'.repeat(32)}` as const,
      blockNumber: 6n,
    },
  ];
  const steps = [
    { inputId: 'one', by: 'author', values: {} },
    { inputId: 'two', by: 'partner', values: {}, direct: true },
  ] as const;
  const senders = [parties.author.address, parties.partner.address];
  return {
    scenario: someScenario(),
    address,
    warnings: 0,
    simulated: {
      steps: inputs.map(({ inputId, fromState, toState }) => ({
        inputId,
        fromState,
        toState,
        outcome: 'accepted',
      })),
      state: 'C',
      variables: { sum: '5' },
    },
    deployedInMs: 1,
    refusal: '400 issuer_not_allowed',
    steps: steps.map((step, at) => ({ step, txHash: inputs[at]?.txHash ?? '0x', tookMs: 1 })),
    served: {
      record: { id: 'agr_1', state: 'C', variables: { sum: '5' } },
      state: { state: 'C' },
      inputs: inputs.map((input, at) => ({
        ...input,
        status: 'MINED',
        signer: senders[at] ?? '',
        payload: '0x',
        blockNumber: Number(input.blockNumber),
      })),
    },
    contract: {
      state: 'C',
      inputs: inputs.map((input, at) => ({
        ...input,
        payload: '0x',
        signer: at === 0 ? parties.author.address : null,
      })),
      nonces: new Map([
        [parties.author.address, 1n],
        [parties.partner.address, 0n],
      ]),
    },
    payment: { agreed: 5n, moved: 5n },
  };
}

type Change = (played: Played) => unknown;
const first = ({ served }: Played) => served.inputs[0] ?? {};

describe('findDifferences', () => {
  test('finds none if the service serves what happened', () => {
    expect(findDifferences(playFaithfully(), parties)).toEqual([]);
  });

  test.each<[string, Change]>([
    ['another state', ({ served }) => Object.assign(served.state, { state: 'B' })],
    ['another state in the record', ({ served }) => Object.assign(served.record, { state: 'B' })],
    ['an input less', ({ served }) => served.inputs.pop()],
    ['an input more', ({ served }) => served.inputs.push(...served.inputs.slice(0, 1))],
    ['an input that is still pending', (played) => Object.assign(first(played), { status: 'PENDING' })],
    ['another input', (played) => Object.assign(first(played), { inputId: 'two' })],
    ['another transition', (played) => Object.assign(first(played), { toState: 'C' })],
    ['another payload', (played) => Object.assign(first(played), { payload: '0x01' })],
    ['another transaction', (played) => Object.assign(first(played), { txHash: '0x03' })],
    ['another block', (played) => Object.assign(first(played), { blockNumber: 4 })],
    ['another signer', (played) => Object.assign(first(played), { signer: parties.partner.address })],
    ['a permit that was used twice', ({ contract }) => contract.nonces.set(parties.author.address, 2n)],
    [
      'a payment that did not arrive',
      (played) => Object.assign(played, { payment: { agreed: 5n, moved: 0n } }),
    ],
    ['a simulation that ended elsewhere', ({ simulated }) => Object.assign(simulated, { state: 'B' })],
    [
      'a simulation that refused a step',
      ({ simulated }) => Object.assign(simulated.steps[0] ?? {}, { outcome: 'refused' }),
    ],
    [
      'a simulation with other values',
      ({ simulated }) => Object.assign(simulated, { variables: { sum: '6' } }),
    ],
    ['a wrong party that was let in', (played) => Object.assign(played, { refusal: 'accepted' })],
  ])('finds %s', (_, change) => {
    const played = playFaithfully();
    change(played);
    expect(findDifferences(played, parties)).not.toEqual([]);
  });
});
