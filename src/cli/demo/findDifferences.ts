import { isAddressEqual } from 'viem';
import type { AcceptedInput } from './contractAccount.ts';
import type { Played } from './playScenario.ts';
import type { ServedInput } from './playStep.ts';
import type { Parties } from './scenarios.ts';

type Compare = (what: string, said: unknown, expected: unknown) => void;

/** All differences between the service's and the contract's data of one agreement; empty if they agree. */
export function findDifferences(played: Played, parties: Parties): string[] {
  const { scenario, served, contract, payment, steps, refusal } = played;
  const differences: string[] = [];
  const compare = (what: string, said: unknown, expected: unknown) => {
    if (said !== expected) differences.push(`${what}: served ${said}, but the contract says ${expected}`);
  };
  compare('inputs', served.inputs.length, contract.inputs.length);
  compare('inputs', served.inputs.length, steps.length);
  compare('state', served.state.state, contract.state);
  compare('state of the record', served.record.state, contract.state);
  for (const [at, accepted] of contract.inputs.entries()) {
    const input = served.inputs[at];
    const step = steps[at]?.step;
    if (!input || !step) continue;
    const sender = parties[step.by].address;
    compareInput({ input, accepted, sender, compare });
  }
  compareSimulation(played, compare);
  for (const [signer, nonce] of contract.nonces) {
    const own = steps.filter(({ step }) => !step.direct && isAddressEqual(parties[step.by].address, signer));
    compare(`permits of ${signer}`, BigInt(own.length), nonce);
  }
  if (payment) compare('payment', payment.agreed, payment.moved);
  if (refusal !== '400 issuer_not_allowed')
    differences.push(`an input of the wrong party of ${scenario.title}: ${refusal}`);
  return differences;
}

function compareSimulation({ simulated, served, contract }: Played, compare: Compare): void {
  compare('simulated steps', simulated.steps.length, contract.inputs.length);
  for (const [at, accepted] of contract.inputs.entries()) {
    const step = simulated.steps[at];
    compare(`simulation of ${accepted.inputId}`, step?.outcome, 'accepted');
    compare(`simulated state before ${accepted.inputId}`, step?.fromState, accepted.fromState);
    compare(`simulated state after ${accepted.inputId}`, step?.toState, accepted.toState);
  }
  compare('simulated state', simulated.state, contract.state);
  for (const [name, value] of Object.entries(served.record.variables))
    compare(`simulated ${name}`, simulated.variables[name], value);
}

function compareInput(options: {
  input: ServedInput;
  accepted: AcceptedInput;
  sender: string;
  compare: Compare;
}): void {
  const { input, accepted, sender, compare } = options;
  const name = `${accepted.inputId} in block ${accepted.blockNumber}`;
  compare(`input ${name}`, input.inputId, accepted.inputId);
  compare(`status of ${name}`, input.status, 'MINED');
  compare(`state before ${name}`, input.fromState, accepted.fromState);
  compare(`state after ${name}`, input.toState, accepted.toState);
  compare(`payload of ${name}`, input.payload, accepted.payload);
  compare(`transaction of ${name}`, input.txHash, accepted.txHash);
  compare(`block of ${name}`, input.blockNumber, Number(accepted.blockNumber));
  compare(`signer of ${name}`, input.signer, accepted.signer ?? sender);
}
