import { decodeAbiParameters, type Hex, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import type { ContractChain } from './contractChain.ts';
import type { ModelCase } from './modelCase.ts';
import { type CallResult, type CaseResult, runInModel } from './runInModel.ts';

/** A case with different results of model and contract. */
export type Difference = { readonly case: ModelCase; readonly differences: readonly string[] };

/** Counts that show whether the cases reach what they should reach. */
export type Reached = { cases: number; steps: number; accepted: number; reverts: Map<string, number> };

export function createReached(): Reached {
  return { cases: 0, steps: 0, accepted: 0, reverts: new Map() };
}

/** Plays one batch of cases on both sides. */
export async function compareCases(
  chain: ContractChain,
  cases: readonly ModelCase[],
  reached: Reached,
): Promise<Difference[]> {
  const played = cases.map((modelCase, index) => ({
    modelCase,
    ...runInModel(modelCase, { time: chain.time, address: chain.addressOf(index) }),
  }));
  const results = await chain.run(
    played.map(({ modelCase, prepared }) => ({ parameters: modelCase.parameters, steps: prepared })),
  );
  return played.flatMap(({ modelCase, expected }, index) => {
    const actual = results[index];
    if (actual === undefined) throw new Error('a case was not run');
    count(reached, actual);
    const differences = listDifferences(expected, actual);
    return differences.length === 0 ? [] : [{ case: modelCase, differences }];
  });
}

function listDifferences(model: CaseResult, contract: CaseResult): string[] {
  const pairs = [
    ['creation', describeRevert(model.creation), describeRevert(contract.creation)],
    ...model.steps.map((step, index) => [
      `step ${index}`,
      describeResult(step),
      describeResult(contract.steps[index]),
    ]),
    ['state', model.state, contract.state],
    ['nonces', model.nonces.join(), contract.nonces.join()],
  ];
  return pairs
    .filter(([, expected, actual]) => expected !== actual)
    .map(([place, expected, actual]) => `${place}: model ${expected}, contract ${actual}`);
}

function describeResult(result: CallResult | undefined): string {
  if (result === undefined) return 'nothing';
  return 'revert' in result
    ? describeRevert(result.revert)
    : `accepted from ${result.fromState} to ${result.toState}`;
}

/** Includes the whole data, because all of it must be equal. */
function describeRevert(data: Hex | null): string {
  return data === null ? 'success' : `${nameRevert(data)} ${data}`;
}

const namesBySelector = new Map(
  agreementEngineAbi
    .filter((item) => item.type === 'error')
    .map((item) => [
      toFunctionSelector(`${item.name}(${item.inputs.map(({ type }) => type).join()})`),
      item.name,
    ]),
);

/** The error's name; for `Error` and `Panic` also the text or the code. */
function nameRevert(data: Hex): string {
  if (data === '0x') return 'revert without data';
  const [selector, args] = [data.slice(0, 10), `0x${data.slice(10)}` as const];
  if (selector === '0x08c379a0') return `Error(${decodeAbiParameters([{ type: 'string' }], args)[0]})`;
  if (selector === '0x4e487b71') return `Panic(${BigInt(args)})`;
  return namesBySelector.get(`0x${selector.slice(2)}`) ?? 'another error';
}

function count(reached: Reached, { creation, steps }: CaseResult): void {
  reached.cases += 1;
  reached.steps += steps.length;
  const reverts = steps.flatMap((step) => ('revert' in step ? [nameRevert(step.revert)] : []));
  reached.accepted += steps.length - reverts.length;
  if (creation !== null) reverts.push(`at creation: ${nameRevert(creation)}`);
  for (const name of reverts) reached.reverts.set(name, (reached.reverts.get(name) ?? 0) + 1);
}
