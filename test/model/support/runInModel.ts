import { type Address, encodeErrorResult, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
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
import {
  actorAt,
  actors,
  funds,
  type ModelCase,
  type OutsideContract,
  outside,
  type Step,
} from './modelCase.ts';

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

/** The place of an agreement: the time of its block, and its address. */
type Place = { readonly time: bigint; readonly address: Address };

/** Plays a case in the model. The contracts in `outside` answer the model's outside calls. */
export function runInModel(
  { parameters, steps }: ModelCase,
  { time, address }: Place,
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
  let left = funds;
  for (const step of steps) {
    const ready = prepareStep(step, engine, time);
    const { permit, ...call } = ready;
    const outcome = applyInput(engine, {
      ...call,
      time,
      permit: permit && { ...permit, signer: actorAt(permit.signer).address },
    });
    const { result, next, spent } = meetOutside(outcome, { step, address, left });
    prepared.push(ready);
    results.push(result);
    engine = next ?? engine;
    left -= spent ?? 0n;
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

type Circumstances = { readonly step: Step; readonly address: Address; readonly left: bigint };

function meetOutside(
  outcome: InputOutcome,
  { step, address, left }: Circumstances,
): { result: CallResult; next?: Engine; spent?: bigint } {
  if (outcome.ok === null)
    throw new Error(`${outcome.unknownVariable} is unknown to an engine from its creation`);
  for (const { verifier } of outcome.verifiers) {
    const refusal = askVerifier(verifier, { step, address });
    if (refusal !== null) return { result: { revert: refusal } };
  }
  if (!outcome.ok) return { result: { revert: encodeRevert(outcome.revert) } };
  const failure = failAction(outcome, left);
  if (failure !== null) return { result: { revert: failure } };
  const { fromState, toState, engine, action } = outcome;
  return { result: { fromState, toState }, next: engine, spent: action?.value ?? 0n };
}

/** Generated cases have addresses in lower case, compiled documents have them with a checksum. */
const outsideByAddress = new Map([...outside].map(([address, contract]) => [getAddress(address), contract]));

function findOutside(address: Address): OutsideContract | undefined {
  return outsideByAddress.get(getAddress(address));
}

const verifierAbi = parseAbi(['function verify(address, bytes32, bytes, address) view']);

/** The sender is the transaction's, also with a permit. */
function askVerifier(verifier: Address, { step, address }: Omit<Circumstances, 'left'>): Hex | null {
  const args = [address, step.inputId, step.payload, step.sender] as const;
  const data = encodeFunctionData({ abi: verifierAbi, args });
  // Solidity itself reverts on a call to an address without code.
  const stands = findOutside(verifier);
  return stands === undefined ? '0x' : stands.answer({ data, value: 0n, isStatic: true });
}

function failAction({ action }: AppliedInput, left: bigint): Hex | null {
  if (action === undefined) return null;
  const { target, value, data } = action;
  const revertData =
    value > left ? '0x' : (findOutside(target)?.answer({ data, value, isStatic: false }) ?? null);
  return revertData === null ? null : encodeFailure(target, revertData);
}

function encodeFailure(target: Address, revertData: Hex): Hex {
  return encodeErrorResult({
    abi: agreementEngineAbi,
    errorName: 'ActionCallFailed',
    args: [target, revertData],
  });
}
