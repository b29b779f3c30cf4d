import type { Hex } from 'viem';
import { nameHash, type WireValues } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { readVariables } from '../../protocol/variables.ts';
import {
  type SimulatedMoment,
  type SimulatedStep,
  type StepOutcome,
  simulateStep,
  stateOf,
} from './simulateStep.ts';
import { createWorkBudget } from './workBudget.ts';

/** Steps of one simulation. */
export const maxSteps = 200;
/** Computing time of one simulation, for those whose rules and documents are large. */
const maxMs = 2_000;

export type SimulatedSteps = {
  readonly steps: readonly StepOutcome[];
  /** After the last step. */
  readonly state: string;
  readonly variables: WireValues;
  /** Why there are fewer steps than asked for; null where all were played. */
  readonly stoppedAt: 'time' | null;
};

/** Plays steps one after another; one that is refused changes nothing, and the rest goes on. In turns with other requests. */
export async function simulateSteps(
  start: SimulatedMoment,
  steps: readonly SimulatedStep[],
): Promise<SimulatedSteps> {
  const budget = createWorkBudget(maxMs);
  const outcomes: StepOutcome[] = [];
  let moment = start;
  for (const step of steps) {
    if (!(await budget.pause())) break;
    const { outcome, next } = simulateStep(moment, step);
    outcomes.push(outcome);
    moment = next;
  }
  const state = stateOf(moment, moment.engine);
  const stoppedAt = outcomes.length < steps.length ? 'time' : null;
  return { steps: outcomes, state, variables: moment.parties.variables, stoppedAt };
}

/** The names of a document's states and variables by what the chain knows them by. */
export function indexNames(agreement: unknown): ReadonlyMap<Hex, string> {
  const root = new JsonCursor(agreement);
  const states = root.at('execution').at('states').keys();
  const variables = readVariables(root).map(({ name }) => name);
  // A state may be called like a variable: then both have the same name.
  return new Map([...variables, ...states].map((name) => [nameHash(name), name]));
}
