import type { Address, Hex } from 'viem';
import type { Limits } from '../../platform/config/limits.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { describeError } from '../../platform/http/errorResponse.ts';
import { decodeRevert } from '../../platform/nodes/decodeRevert.ts';
import { findOwnRefusal } from '../../platform/nodes/ownRefusal.ts';
import type { Simulation } from '../../platform/nodes/simulateCall.ts';
import { tellRevert } from '../../platform/nodes/tellRevert.ts';
import type { Issue } from '../../protocol/errors.ts';
import {
  type AppliedInput,
  applyAcceptedInput,
  applyInput,
  decodeInputPayload,
  type Engine,
  encodeInputPayload,
  encodeRevert,
  type InputOutcome,
  nameHash,
  ProtocolError,
  parseAddress,
  type WireValues,
} from '../../protocol/index.ts';
import { quoteUnlessPlain } from '../../protocol/quote.ts';
import { checkInput, requireValues } from '../agreements/checkInput.ts';
import {
  type FiredRule,
  movesDate,
  passChange,
  passTime,
  passTransition,
  type RuleClock,
  type RuleParties,
} from './ruleClock.ts';

export type SimulatedMoment = {
  readonly agreement: unknown;
  /** Limits on the values of a step. */
  readonly limits: Limits;
  /** The names of states and variables by their on-chain ids. */
  readonly names: ReadonlyMap<Hex, string>;
  readonly engine: Engine;
  /** The variables whose values are the effective values. */
  readonly parties: RuleParties;
  readonly clock: RuleClock;
  /** Number of transitions that have changed the state. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly atMs: number;
};

export type SimulatedStep = {
  readonly inputId: string;
  readonly values: unknown;
  /** A variable that holds an address, or an address. */
  readonly by: string;
  /** When it happens; by default at the time of the previous step. */
  readonly atMs?: number | undefined;
};

/** A transition in the form for subscribers. */
export type Announcement = { fromState: string; toState: string; inputId: string; sequence: number };

/** The effect of a step, or why it has none. */
export type StepOutcome = {
  readonly inputId: string;
  /** Null if the name is unknown. */
  readonly by: Address | null;
  readonly outcome: 'accepted' | 'refused' | 'undecided';
  readonly refusal?: Refusal;
  readonly fromState: string;
  readonly toState: string;
  /** The variables that the contract stores in this step. */
  readonly stored: WireValues;
  /** Effective values that change. */
  readonly variables: WireValues;
  /** Null if the state stays the same. */
  readonly announces: Announcement | null;
  /** Rules of time due before the step, then rules that its transition triggers. */
  readonly rules: readonly FiredRule[];
  /** External calls are not simulated; if one fails on the chain, the input is refused. */
  readonly external: readonly ExternalCall[];
};

export type Refusal = {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
  readonly issues?: readonly Issue[];
};

export type ExternalCall =
  | { readonly type: 'verifier'; readonly address: Address; readonly key: Hex }
  | { readonly type: 'action'; readonly address: Address; readonly value: string; readonly data: Hex };

/** Simulates one step. A refused step changes nothing, but time still passes. */
export function simulateStep(
  moment: SimulatedMoment,
  step: SimulatedStep,
): { outcome: StepOutcome; next: SimulatedMoment } {
  const { engine, parties } = moment;
  const state = stateOf(moment, engine);
  const atMs = Math.max(moment.atMs, step.atMs ?? moment.atMs);
  const by = findSender(step.by, parties.variables);
  const base = { inputId: step.inputId, by: by ?? null };
  const keepState = (outcome: 'refused' | 'undecided', refusal: Refusal) => {
    const due = passTime(moment.clock, { state, atMs, parties });
    const next = { ...moment, clock: due.clock, atMs };
    const kept = { fromState: state, toState: state, stored: {}, variables: {}, announces: null };
    return { outcome: { ...base, ...kept, outcome, refusal, rules: due.fired, external: [] }, next };
  };
  try {
    const played = play(moment, step, by);
    if (played.applied.ok) {
      const { outcome, next } = accept({ ...moment, atMs }, { step, ...played, applied: played.applied });
      return { outcome: { ...base, ...outcome }, next };
    }
    const { unknownVariable } = played.applied;
    const variable = quoteUnlessPlain(moment.names.get(unknownVariable) ?? unknownVariable);
    const message = `The result depends on the stored variable ${variable}, which the simulation does not know.`;
    return keepState('undecided', { reason: 'unknown_variable', message });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return keepState('refused', describeRefusal(error));
  }
}

export function stateOf({ names }: Pick<SimulatedMoment, 'names'>, { state }: Engine): string {
  return names.get(state) ?? state;
}

type Played = { readonly payload: Hex; readonly applied: Exclude<InputOutcome, { ok: false }> };

/** @throws RefusedError if the service or the contract refuses the step, for the reason of the input itself. */
function play(
  { agreement, limits, engine, parties }: SimulatedMoment,
  { inputId, values, by: name }: SimulatedStep,
  by: Address | undefined,
): Played {
  if (by === undefined) throw refuseSender(name);
  const payload = encode(agreement, { inputId, values });
  const call = payload && { inputId: nameHash(inputId), payload, sender: by, time: 0n };
  const encoded = call && { payload: call.payload, applied: applyInput(engine, call) };
  if (encoded?.applied.ok) {
    // Input, transition and sender are valid: the contract knows no more about them than the document.
    requireValues({ agreement, inputId, values }, limits);
    return { ...encoded, applied: encoded.applied };
  }
  const simulation = encoded && describeSimulation(encoded.applied);
  const facts = { currentState: engine.state, simulation };
  const { variables } = parties;
  const check = { agreement, inputId, values, signer: by, variables, facts, encoded };
  const { applied, ...known } = checkInput(check, limits);
  if (applied.ok !== false) return { ...known, applied };
  const own = findOwnRefusal(simulation);
  if (own) throw new RefusedError(own.reason, own.message, { field: own.field });
  const revert = tellRevert(decodeRevert(encodeRevert(applied.revert)));
  throw new RefusedError('action_reverted', `The transaction would revert. ${revert}`);
}

/** A node's answer. An unknown sender is not a reason to refuse. */
function describeSimulation(outcome: InputOutcome): Simulation {
  if (outcome.ok !== false) return { ok: true, gas: 0n };
  return { ok: false, data: encodeRevert(outcome.revert), message: 'execution reverted' };
}

/** Undefined for values that do not fit the input; the checks explain why. */
function encode(
  agreement: unknown,
  { inputId, values }: Pick<SimulatedStep, 'inputId' | 'values'>,
): Hex | undefined {
  try {
    return encodeInputPayload(agreement, inputId, values);
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

type Accepted = { readonly step: SimulatedStep; readonly payload: Hex; readonly applied: AppliedInput };

function accept(moment: SimulatedMoment, { step, payload, applied }: Accepted) {
  const { inputId } = step;
  const { agreement, names, parties, atMs } = moment;
  const fields = decodeInputPayload(null, payload);
  const before = parties.variables;
  const variables = applyAcceptedInput(before, agreement, { inputId: nameHash(inputId), fields });
  const [fromState, toState] = [stateOf(moment, moment.engine), stateOf(moment, applied.engine)];
  const isTransition = fromState !== toState;
  const sequence = moment.sequence + (isTransition ? 1 : 0);
  const next = { ...moment, engine: applied.engine, parties: { ...parties, variables }, sequence };
  const due = passTime(moment.clock, {
    state: fromState,
    atMs,
    parties,
    endsSpan: (rule) => isTransition || movesDate(rule, { before, after: variables }),
  });
  const passed = isTransition
    ? passTransition(due.clock, {
        transition: { fromState, toState, inputId },
        atMs,
        parties: next.parties,
      })
    : { fired: [], clock: passChange(due.clock, { before, after: variables, atMs }) };
  const outcome = {
    outcome: 'accepted' as const,
    fromState,
    toState,
    stored: valuesOf(
      applied.stored.map(({ id }) => names.get(id) ?? id),
      variables,
    ),
    variables: valuesOf(
      Object.keys(variables).filter((name) => variables[name] !== before[name]),
      variables,
    ),
    announces: isTransition ? { fromState, toState, inputId, sequence } : null,
    rules: [...due.fired, ...passed.fired],
    external: listExternal(applied),
  };
  return { outcome, next: { ...next, clock: passed.clock } };
}

function valuesOf(names: readonly string[], variables: WireValues): WireValues {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function listExternal({ verifiers, action }: AppliedInput): ExternalCall[] {
  const asked = verifiers.map(({ key, verifier }) => ({ type: 'verifier' as const, address: verifier, key }));
  if (action === undefined) return asked;
  const { target, value, data } = action;
  return [...asked, { type: 'action', address: target, value: value.toString(), data }];
}

function findSender(by: string, variables: WireValues): Address | undefined {
  const held = Object.hasOwn(variables, by) ? variables[by] : undefined;
  return parseAddress(held) ?? parseAddress(by);
}

function refuseSender(by: string): RefusedError {
  const message = 'must be an address or a variable that holds one';
  return new RefusedError('issuer_not_allowed', 'The sender of the step is unknown.', {
    field: 'by',
    issues: [{ path: 'by', message }],
    facts: { by },
  });
}

/** In the words of the input's own error. The step's member for the signer is `by`. */
function describeRefusal(error: RefusedError): Refusal {
  const { reason, issues } = error;
  const { message } = describeError(error);
  const field = error.field === 'signer' ? 'by' : error.field;
  return { reason, message, ...(field !== undefined && { field }), ...(issues && { issues }) };
}
