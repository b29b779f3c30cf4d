import { type Address, encodeErrorResult, type Hex } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import {
  type AppliedInput,
  applyInput,
  createEngine,
  type Engine,
  EngineRevert,
  encodeRevert,
  type InputOutcome,
  permitNonce,
} from '../../../src/protocol/index.ts';
import { actorAt, actors, type ModelCase, outside, type Step } from './modelCase.ts';

/** The result of one call: its two states, or its revert data. */
export type CallResult = { readonly fromState: Hex; readonly toState: Hex } | { readonly revert: Hex };

/** The result of a case, in the model or on the contracts. */
export type CaseResult = {
  /** The creation's revert data; null if it succeeded. If it reverted, there are no other results. */
  readonly creation: Hex | null;
  readonly steps: readonly CallResult[];
  readonly state: Hex | null;
  /** The nonces by actor. */
  readonly nonces: readonly bigint[];
};

/** A step with the final nonce and deadline of its permit. */
export type PreparedStep = Omit<Step, 'permit'> & {
  readonly permit?: { readonly signer: number; readonly nonce: bigint; readonly deadline: bigint };
};

/** Plays a case in the model. The contracts in `outside` answer the model's outside calls. */
export function runInModel(
  { parameters, steps }: ModelCase,
  time: bigint,
): { expected: CaseResult; prepared: readonly PreparedStep[] } {
  let engine: Engine;
  try {
    engine = createEngine(parameters);
  } catch (error) {
    if (!(error instanceof EngineRevert)) throw error;
    const expected = { creation: encodeRevert(error.revert), steps: [], state: null, nonces: [] };
    return { expected, prepared: [] };
  }
  const results: CallResult[] = [];
  const prepared: PreparedStep[] = [];
  for (const step of steps) {
    const ready = prepareStep(step, engine, time);
    const { permit, ...call } = ready;
    const outcome = applyInput(engine, {
      ...call,
      time,
      permit: permit && { ...permit, signer: actorAt(permit.signer).address },
    });
    const { result, next } = meetOutside(outcome);
    prepared.push(ready);
    results.push(result);
    engine = next ?? engine;
  }
  const nonces = actors.map(({ address }) => permitNonce(engine, address));
  return { expected: { creation: null, steps: results, state: engine.state, nonces }, prepared };
}

function prepareStep({ permit, ...step }: Step, engine: Engine, time: bigint): PreparedStep {
  if (permit === undefined) return step;
  const nonce = permitNonce(engine, actorAt(permit.signer).address) + BigInt(permit.nonceOffset);
  const deadline = time + BigInt(permit.secondsLeft);
  return { ...step, permit: { signer: permit.signer, nonce: nonce < 0n ? 7n : nonce, deadline } };
}

function meetOutside(outcome: InputOutcome): { result: CallResult; next?: Engine } {
  if (outcome.ok === null)
    throw new Error(`${outcome.unknownVariable} is unknown to an engine from its creation`);
  for (const { verifier } of outcome.verifiers) {
    const stands = outside.get(verifier);
    // Solidity itself reverts on a call to an address without code.
    if (stands === undefined) return { result: { revert: '0x' } };
    if (stands.revertData !== undefined) return { result: { revert: stands.revertData } };
  }
  if (!outcome.ok) return { result: { revert: encodeRevert(outcome.revert) } };
  const failure = failAction(outcome);
  if (failure !== null) return { result: { revert: failure } };
  return { result: { fromState: outcome.fromState, toState: outcome.toState }, next: outcome.engine };
}

/** The engine holds no funds, so an action with a value fails. */
function failAction({ action }: AppliedInput): Hex | null {
  if (action === undefined) return null;
  const revertData = action.value > 0n ? '0x' : outside.get(action.target)?.revertData;
  return revertData === undefined ? null : encodeFailure(action.target, revertData);
}

function encodeFailure(target: Address, revertData: Hex): Hex {
  return encodeErrorResult({
    abi: agreementEngineAbi,
    errorName: 'ActionCallFailed',
    args: [target, revertData],
  });
}
