import type { Hex } from 'viem';
import { nameHash, type WireValues } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { readVariables } from '../../protocol/variables.ts';
import type { CountedFiring, RuleCounts } from '../../records/rules/readRuleCounts.ts';
import { limitFirings } from './limitFirings.ts';
import type { FiredRule } from './ruleClock.ts';
import {
  type SimulatedMoment,
  type SimulatedStep,
  type StepOutcome,
  simulateStep,
  stateOf,
} from './simulateStep.ts';
import { createWorkBudget } from './workBudget.ts';

export const maxSteps = 200;
/** Computing time of one simulation, for large rules and documents. */
const maxMs = 2_000;
/** Characters of all outcomes as JSON: each step repeats the call data of its action, and the recipients of its rules. */
const maxCharacters = 4 * 1024 * 1024;

export type SimulatedSteps = {
  readonly steps: readonly StepOutcome[];
  /** The state after the last step. */
  readonly state: string;
  readonly variables: WireValues;
  /** Why there are fewer steps than requested; null if all were simulated. */
  readonly stoppedAt: 'time' | 'output' | null;
};

/**
 * Simulates steps one after another; a refused step changes nothing, and the rest goes on. In turns with
 * other requests. The firings are those within the limits of rules.
 *
 * @param options.before the firings before the first step; `fired` has those within the limits.
 */
export async function playWithLimits(
  start: SimulatedMoment,
  {
    steps,
    before = [],
    readCounts,
  }: {
    readonly steps: readonly SimulatedStep[];
    readonly before?: readonly FiredRule[];
    readCounts(firings: readonly CountedFiring[]): Promise<RuleCounts>;
  },
): Promise<{ readonly fired: readonly FiredRule[]; readonly played: SimulatedSteps }> {
  const budget = createWorkBudget(maxMs);
  const outcomes: StepOutcome[] = [];
  let moment = start;
  let characters = 0;
  let stoppedAt: SimulatedSteps['stoppedAt'] = null;
  for (const step of steps) {
    if (characters > maxCharacters) stoppedAt = 'output';
    else if (!(await budget.pause())) stoppedAt = 'time';
    if (stoppedAt !== null) break;
    const { outcome, next } = simulateStep(moment, step);
    characters += JSON.stringify(outcome).length;
    outcomes.push(outcome);
    moment = next;
  }
  const firings = [before, ...outcomes.map((outcome) => outcome.rules)];
  const [fired = [], ...rest] = await limitFirings(firings, { rules: start.clock.rules, readCounts });
  const limited = outcomes.map((outcome, at) => ({ ...outcome, rules: rest[at] ?? [] }));
  const { variables } = moment.parties;
  return { fired, played: { steps: limited, state: stateOf(moment, moment.engine), variables, stoppedAt } };
}

/** The names of a document's states and variables by their on-chain ids. */
export function indexNames(agreement: unknown): ReadonlyMap<Hex, string> {
  const root = new JsonCursor(agreement);
  const states = root.at('execution').at('states').keys();
  const variables = readVariables(root).map(({ name }) => name);
  // A state and a variable may have the same name, and then the same id.
  return new Map([...variables, ...states].map((name) => [nameHash(name), name]));
}
