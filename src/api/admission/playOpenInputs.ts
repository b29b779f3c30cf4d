import { applyInput, continueEngine, type Engine } from '../../protocol/index.ts';
import type { AgreementRules } from './agreementRules.ts';
import { type InputCallData, readInputCall } from './readInputCall.ts';
import { identifyMoment, type Standing } from './readStanding.ts';

/** An agreement's open inputs, played on the index, in order. */
export type PlayedInputs = {
  /** Identifies what they were played on; undefined if it cannot be recognised. */
  readonly base: string | undefined;
  /** The engine before the first one. */
  readonly start: Engine;
  /** Up to the first one whose result depends on an unknown stored variable. */
  readonly inputs: readonly PlayedInput[];
  /** The engine after the last one; undefined if there is such an input. */
  readonly engine: Engine | undefined;
};

type PlayedInput = {
  /** Id of its outbox row. */
  readonly id: string;
  readonly call: InputCallData;
  readonly isExpired: boolean;
  /** The engine after the input. If the contract would refuse it, the engine before. */
  readonly engine: Engine;
};

/**
 * Plays the open inputs of an agreement on the index. Inputs already played on the same index are not played again.
 *
 * @param options.time the block's time that is expected, in Unix seconds.
 * @param options.earlier has the calls and the stored values that the standing leaves out.
 */
export function playOpenInputs(
  rules: AgreementRules,
  standing: Standing,
  { time, earlier }: { time: bigint; earlier?: PlayedInputs | undefined },
): PlayedInputs {
  const known = new Map(earlier?.inputs.map(({ id, call }) => [id, call]));
  const calls = standing.open.map((row) => {
    const call = row.callData === undefined ? known.get(row.id) : readInputCall(row.callData);
    if (!call) throw new Error(`the call of ${row.id} is neither known nor read`);
    return { row, call, isExpired: row.isWaiting && time > call.deadline };
  });
  const base = identifyMoment(standing);
  const same = base !== undefined && base === earlier?.base ? earlier : undefined;
  const before = same?.inputs ?? [];
  const differing = calls.findIndex(
    ({ row, isExpired }, at) => before[at]?.id !== row.id || before[at].isExpired !== isExpired,
  );
  const inputs = before.slice(0, differing === -1 ? calls.length : differing);
  const start = same?.start ?? resume(rules, standing);
  let engine = addNonces(inputs.at(-1)?.engine ?? start, standing);
  for (const { row, call, isExpired } of calls.slice(inputs.length)) {
    const { inputId, payload, deadline } = call;
    const permit = { signer: row.signer, nonce: row.nonce, deadline };
    const outcome = applyInput(engine, {
      ...{ sender: row.signer, inputId, payload, permit },
      time: isExpired ? time : 0n,
    });
    if (outcome.ok === null) return { base, start, inputs, engine: undefined };
    if (outcome.ok) engine = outcome.engine;
    inputs.push({ id: row.id, call, isExpired, engine });
  }
  return { base, start, inputs, engine };
}

/** Adds the nonces in the index of signers who had no open input before. */
function addNonces(engine: Engine, { nonces }: Standing): Engine {
  const missing = [...nonces].filter(
    ([signer, nonce]) => nonce > 0n && engine.nonces.get(signer) === undefined,
  );
  return { ...engine, nonces: engine.nonces.with(missing) };
}

function resume({ engine, storing }: AgreementRules, standing: Standing): Engine {
  if (!standing.storing) throw new Error('the stored values are neither known nor read');
  return continueEngine(engine, {
    state: standing.state,
    inputs: standing.storing,
    isWhole: storing.size === 0 || standing.isStoringWhole,
    nonces: standing.nonces,
  });
}
