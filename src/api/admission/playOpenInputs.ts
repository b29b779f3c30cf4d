import type { Hex } from 'viem';
import { applyInput, decodeInputPayload, type Engine, type StoredVariable } from '../../protocol/index.ts';
import type { AgreementRules } from './agreementRules.ts';
import { readInputCall } from './readInputCall.ts';
import type { OpenRow, Standing } from './readStanding.ts';

/**
 * The engine of an agreement after all open inputs: the index plus the outbox rows, in order. A row that the
 * contract would refuse has no effect. Undefined if the result depends on an unknown stored variable.
 *
 * @param time the block's time that is expected, in Unix seconds.
 */
export function buildStandingEngine(
  rules: AgreementRules,
  standing: Standing,
  time: bigint,
): Engine | undefined {
  let engine = resume(rules, standing);
  for (const row of standing.open) {
    const applied = applyRow(engine, row, time);
    if (applied === undefined) return undefined;
    engine = applied;
  }
  return engine;
}

/** The engine after an open row; the same engine if the row has no effect. */
function applyRow(engine: Engine, row: OpenRow, time: bigint): Engine | undefined {
  const { signer, nonce } = row;
  const { inputId, payload, deadline } = readInputCall(row.callData);
  const permit = { signer, nonce, deadline };
  const outcome = applyInput(engine, {
    sender: signer,
    inputId,
    payload,
    permit,
    time: row.isWaiting ? time : 0n,
  });
  if (outcome.ok === null) return undefined;
  return outcome.ok ? outcome.engine : engine;
}

function resume({ engine, storing }: AgreementRules, standing: Standing): Engine {
  const { state, nonces } = standing;
  const variables = storing.size === 0 ? [] : collectStored(engine, standing);
  return {
    rules: engine.rules,
    state,
    variables: engine.variables.with(variables),
    nonces: engine.nonces.with(nonces),
  };
}

/**
 * The values that inputs have stored since the creation, newest first; unknown if they are further back than
 * the inputs that were read.
 */
function collectStored(
  { rules }: Engine,
  { storing, isStoringWhole }: Standing,
): Map<Hex, StoredVariable | 'unknown'> {
  const stored = new Map<Hex, StoredVariable | 'unknown'>();
  for (const { inputId, payload } of storing) {
    const first = new Map(
      decodeInputPayload(null, payload)
        .toReversed()
        .map((field) => [field.id, field]),
    );
    for (const { fieldId, persist } of rules.inputDefs.get(inputId)?.fields ?? []) {
      const field = persist && !stored.has(fieldId) ? first.get(fieldId) : undefined;
      if (field) stored.set(fieldId, { fType: field.fType, data: field.data });
    }
  }
  if (isStoringWhole) return stored;
  for (const { fields } of rules.inputDefs.values())
    for (const { fieldId, persist } of fields)
      if (persist && !stored.has(fieldId)) stored.set(fieldId, 'unknown');
  return stored;
}
