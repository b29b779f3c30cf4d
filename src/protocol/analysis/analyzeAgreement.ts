import { quoteUnlessPlain } from '../quote.ts';
import { createReport, type Finding, type Report } from './createReport.ts';
import {
  defaultExplorationLimits,
  type Exploration,
  type ExplorationLimits,
  exploreFlow,
  type Seen,
} from './exploreFlow.ts';
import { findEndless } from './findEndless.ts';
import { type Flow, readFlow } from './flow.ts';

/** What a document as a whole can and cannot do. Lists are in the order of the document. */
export type Analysis = {
  /** States looked at, each with a set of stored variables. */
  readonly moments: number;
  /** What ended the search early, so that states and steps may be missing; null if the search was complete. */
  readonly stoppedAt: Exploration['stoppedAt'];
  /** Whether findings or examples were left out to keep the answer short. */
  readonly shortened: boolean;
  readonly reachableStates: readonly Finding[];
  /** Reachable states without an outgoing transition. */
  readonly finalStates: readonly Finding[];
  /** Reachable states from which no final state can be reached any more: always, or after the example. */
  readonly endlessStates: readonly Finding[];
  /** Inputs that nobody can ever send successfully. */
  readonly unsendableInputs: readonly Finding[];
  /** Steps that revert because the issuer's variable is not stored: always, or after the example. */
  readonly unsetVariables: readonly Finding[];
  /** Fields that no value fits. */
  readonly contradictoryBounds: readonly Finding[];
  /** Transitions that never count because an earlier one has the same state and input. */
  readonly shadowedTransitions: readonly Finding[];
};

/**
 * Analyses a document that `validateAgreement` has accepted: all states with all sets of stored variables
 * that inputs can lead to, within limits. Findings that need a complete search are left out if the search was
 * not complete.
 */
export function analyzeAgreement(
  agreement: unknown,
  limits: ExplorationLimits = defaultExplorationLimits,
): Analysis {
  const turns = analyzeInTurns(agreement, limits);
  for (;;) {
    const { done, value } = turns.next();
    if (done) return value;
  }
}

/** `analyzeAgreement` in steps of a few milliseconds, for callers with other work to do in between. */
export function* analyzeInTurns(
  agreement: unknown,
  limits: ExplorationLimits = defaultExplorationLimits,
): Generator<undefined, Analysis> {
  const flow = yield* readFlow(agreement);
  yield;
  const exploration = yield* exploreFlow(flow, limits);
  yield;
  return yield* describe(flow, exploration);
}

/** Yields between its parts, and after each finding: an example may have thousands of inputs. */
function* describe(flow: Flow, exploration: Exploration): Generator<undefined, Analysis> {
  const { moments, stoppedAt } = exploration;
  const report = createReport();
  const firstIn = new Map(moments.toReversed().map((moment) => [moment.state, moment]));
  const reached = flow.states.filter((state) => firstIn.has(state));
  const stateFinding = (state: string): Finding => ({ path: `execution.states.${state}`, state });
  const withExample = (state: string) => report.add(stateFinding(state), firstIn.get(state));
  yield;

  // Faults come first, as long as there is room.
  const unsendableInputs = yield* collect(findUnsendable(flow, exploration), (finding) =>
    report.add(finding),
  );
  const unsetVariables = yield* collect([...exploration.seen.values()], (seen) =>
    findUnset(seen, { stoppedAt, report }),
  );
  const contradictoryBounds = yield* collect([...flow.inputs], ([inputId, { contradictions }]) =>
    contradictions.flatMap(({ path, message }) => report.add({ path, message, inputId })),
  );
  const endless = yield* findEndless(flow, exploration);
  const endlessStates = yield* collect(endless, ({ state, moment, always }) => {
    const message = always ? 'leads to no final state' : 'leads to no final state after the example';
    return report.add({ ...stateFinding(state), message, always }, moment);
  });
  const shadowed = flow.transitions.filter(({ isShadowed }) => isShadowed);
  const shadowedTransitions = yield* collect(shadowed, ({ path, from, input }) => {
    const message = 'never happens: an earlier one has the same state and input';
    return report.add({ path, message, state: from, inputId: input }, firstIn.get(from), input);
  });
  const final = reached.filter((state) => !flow.leaving.has(state));
  const finalStates = yield* collect(final, withExample);
  const reachableStates = yield* collect(reached, withExample);
  return {
    ...{ moments: moments.length, stoppedAt, shortened: report.isShortened() },
    ...{ reachableStates, finalStates, unsendableInputs, unsetVariables },
    ...{ contradictoryBounds, endlessStates, shadowedTransitions },
  };
}

/** `flatMap` that yields after each item. */
function* collect<Item>(
  items: readonly Item[],
  describeItem: (item: Item) => readonly Finding[],
): Generator<undefined, Finding[]> {
  const findings: Finding[] = [];
  for (const item of items) {
    findings.push(...describeItem(item));
    yield;
  }
  return findings;
}

/**
 * Inputs that nobody can send at any moment. After an incomplete search, only inputs that no moment can
 * allow.
 */
function findUnsendable(flow: Flow, { seen, stoppedAt }: Exploration): Finding[] {
  const taken = new Set(
    [...seen.values()].filter((one) => one.taken).map(({ transition }) => transition.input),
  );
  const looked = new Set([...seen.values()].map(({ transition }) => transition.input));
  const named = new Set(flow.transitions.map(({ input }) => input));
  return [...flow.inputs].flatMap(([inputId, { path, senders, contradictions }]): Finding[] => {
    if (taken.has(inputId)) return [];
    const [first] = senders;
    const finding = { path, inputId };
    if (!named.has(inputId)) return [{ ...finding, message: 'is named by no transition' }];
    if (contradictions.some(({ isRequired }) => isRequired))
      return [{ ...finding, message: 'nobody can ever send it: no values fit its fields' }];
    if (first?.stored === 'never')
      return [
        {
          path: `${path}.issuer`,
          inputId,
          variable: first.variable,
          message: `nobody can ever send it: nothing stores ${quoteUnlessPlain(first.variable)}, which its issuer names`,
        },
      ];
    if (stoppedAt !== null) return [];
    if (!looked.has(inputId))
      return [{ ...finding, message: 'nobody can ever send it: none of its states can be reached' }];
    return [
      {
        path: `${path}.issuer`,
        inputId,
        ...(first && { variable: first.variable }),
        message: `nobody can ever send it: ${first ? quoteUnlessPlain(first.variable) : 'a variable'}, which its issuer names, is not stored in time`,
      },
    ];
  });
}

function findUnset(
  { transition, taken, blocked, narrowed }: Seen,
  { stoppedAt, report }: Pick<Exploration, 'stoppedAt'> & { report: Report },
): Finding[] {
  const noted = blocked ?? narrowed;
  if (noted === undefined) return [];
  const { from: state, input: inputId } = transition;
  const { variable, moment } = noted;
  const always = blocked !== undefined && taken === undefined && stoppedAt === null;
  const who = blocked === undefined ? ' for those that the issuer names after it' : '';
  const when = always ? 'always' : 'after the example';
  const message = `reverts${who} ${when}: ${quoteUnlessPlain(variable)} is not stored`;
  const finding = { path: `execution.inputs.${inputId}.issuer`, message, state, inputId, variable, always };
  return report.add(finding, moment, inputId);
}
