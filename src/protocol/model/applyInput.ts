import type { Address, Hex } from 'viem';
import { PayloadError } from '../errors.ts';
import { isHexBytes } from '../hex.ts';
import { inputHash } from '../names.ts';
import type { ActionInit, DataField, InputDef, VerifierInit } from '../onChain.ts';
import { checkConditions, UnknownVariable } from './checkConditions.ts';
import { decodeFields } from './decodeFields.ts';
import { type Engine, permitNonce, type StoredVariable, transitionKey } from './engine.ts';
import { requireDecodable } from './fieldData.ts';
import { EngineRevert, type Revert, refuseFor } from './reverts.ts';

const zeroAddress = '0x0000000000000000000000000000000000000000';

export type InputCall = {
  /** Who sends the transaction; with a permit its submitter, whom no condition checks. */
  readonly sender: Address;
  /** The authored name; exactly 0x and 64 lower-case hex digits count as its hash. */
  readonly inputId: string;
  readonly payload: Hex;
  /** The permit: signed by `signer` over this input and payload with this nonce and deadline. */
  readonly permit?:
    | { readonly signer: Address; readonly deadline: bigint; readonly nonce: bigint }
    | undefined;
  /** The block's time in Unix seconds. */
  readonly time: bigint;
};

/** Calls outside the engine's own rules that the input depends on: reported, never guessed. */
export type External = {
  /** Verifiers, called statically before the transition is looked up; each of them can refuse. */
  readonly verifiers: readonly VerifierInit[];
};

export type AppliedInput = External & {
  readonly ok: true;
  /** The engine afterwards. */
  readonly engine: Engine;
  readonly fromState: Hex;
  readonly toState: Hex;
  /** The variables that the input has set, in the order declared. */
  readonly stored: readonly DataField[];
  /** The call that the transition makes at its end. If it fails, everything here reverts. */
  readonly action?: ActionInit;
};

/** Certainly refused. If there are verifiers, the caller may see a verifier's revert instead. */
export type RefusedInput = External & { readonly ok: false; readonly revert: Revert };

/** Undecidable: the answer depends on a stored variable that the resumed engine does not know. */
export type UndecidedInput = { readonly ok: null; readonly unknownVariable: Hex };

export type InputOutcome = AppliedInput | RefusedInput | UndecidedInput;

/**
 * What the contract does with an input, in the contract's order of checks: the permit's deadline, signature
 * and nonce, the payload's encoding, the fields' types and data, what is stored, the conditions, the
 * verifiers (reported), the transition and its action (reported). The given engine is not changed; a refused
 * input has no effect.
 *
 * @throws PayloadError for a payload that is not a sequence of bytes.
 */
export function applyInput(engine: Engine, call: InputCall): InputOutcome {
  if (!isHexBytes(call.payload)) throw new PayloadError('must be 0x and an even number of hex digits');
  const verifiers: VerifierInit[] = [];
  try {
    return acceptInput(engine, call, verifiers);
  } catch (error) {
    if (error instanceof EngineRevert) return { ok: false, revert: error.revert, verifiers };
    if (error instanceof UnknownVariable) return { ok: null, unknownVariable: error.id };
    throw error;
  }
}

/** Adds to `verifiers` when it reaches them, so that the caller knows them even if a later check refuses. */
function acceptInput(engine: Engine, call: InputCall, verifiers: VerifierInit[]): AppliedInput {
  const { rules } = engine;
  const nonces = consumePermit(engine, call);
  const inputId = inputHash(call.inputId);
  const definition = rules.inputDefs.get(inputId) ?? refuseFor('Unknown inputId');
  const submitted = firstById(decodeFields(`0x${call.payload.slice(2).toLowerCase()}`));
  const stored = matchFields(definition, submitted);
  const variables = engine.variables.with(
    stored.map(({ id, fType, data }): [string, StoredVariable] => [id, { fType, data }]),
  );
  const sender: Address = `0x${(call.permit?.signer ?? call.sender).slice(2).toLowerCase()}`;
  checkConditions({ definition, submitted, variables, sender });
  for (const key of definition.verifierKeys) {
    verifiers.push({ key, verifier: rules.verifiers.get(key) ?? refuseFor('Verifier not registered') });
  }
  const key = transitionKey(engine.state, inputId);
  const toState = rules.transitions.get(key) ?? refuseFor('No valid transition');
  const action = rules.actions.get(key);
  return {
    ok: true,
    engine: { rules, state: toState, variables, nonces },
    fromState: engine.state,
    toState,
    stored,
    verifiers,
    ...(action && { action }),
  };
}

/**
 * The nonces after the permit, or unchanged without one. A signature for another nonce recovers to another
 * account.
 */
function consumePermit(engine: Engine, { permit, time }: InputCall): Engine['nonces'] {
  if (permit === undefined) return engine.nonces;
  const deadline = BigInt(permit.deadline);
  if (BigInt(time) > deadline) throw new EngineRevert({ name: 'PermitExpired', args: [deadline] });
  const signer = permit.signer.toLowerCase();
  const nonce = permitNonce(engine, permit.signer);
  if (signer === zeroAddress || BigInt(permit.nonce) !== nonce) {
    throw new EngineRevert({ name: 'InvalidSignature', args: [] });
  }
  return engine.nonces.with([[signer, nonce + 1n]]);
}

/** The submitted fields, as the contract looks them up. */
function firstById(fields: readonly DataField[]): ReadonlyMap<string, DataField> {
  return new Map(fields.toReversed().map((field) => [field.id, field]));
}

/** The submitted fields to store, after every declared field has been checked in order. */
function matchFields({ fields }: InputDef, submitted: ReadonlyMap<string, DataField>): DataField[] {
  const stored: DataField[] = [];
  for (const { fieldId, fType, required, persist } of fields) {
    const field = submitted.get(fieldId);
    if (field === undefined) {
      if (required) refuseFor('Required field missing');
      continue;
    }
    if (field.fType !== fType) refuseFor('Field type mismatch');
    requireDecodable(field.fType, field.data);
    if (persist) stored.push(field);
  }
  return stored;
}
