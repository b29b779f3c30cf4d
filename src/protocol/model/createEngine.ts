import { type Address, type Hex, zeroAddress, zeroHash } from 'viem';
import type { ActionInit, DataField, InputDef, Transition, VerifierInit } from '../onChain.ts';
import {
  type Engine,
  type EngineParameters,
  type EngineRules,
  type StoredVariable,
  transitionKey,
} from './engine.ts';
import { fieldTypeCount, requireDecodable } from './fieldData.ts';
import { Layers } from './layers.ts';
import { opCount } from './ops.ts';
import { EngineRevert, refuseBytes, refuseFor } from './reverts.ts';

/**
 * The engine as the factory creates it, in its initial state with its initial variables.
 *
 * @throws EngineRevert with the contract's revert, if it refuses the creation.
 */
export function createEngine(parameters: EngineParameters): Engine {
  requireDecodableEnums(parameters);
  if (isZero(parameters.owner)) throw new EngineRevert({ name: 'OwnerZero', args: [] });
  const verifiers = registerVerifiers(parameters.verifiers);
  const inputDefs = registerInputDefs(parameters.inputDefs, verifiers);
  const transitions = registerTransitions(parameters.transitions);
  const variables = storeInitVars(parameters.initVars);
  const actions = registerActions(parameters.actions);
  return {
    rules: { inputDefs, transitions, actions, verifiers },
    state: lower(parameters.initialState),
    variables: new Layers(variables),
    nonces: new Layers(),
  };
}

/** The factory decodes the whole creation before it runs, and numbers outside an enumeration do not decode. */
function requireDecodableEnums({ inputDefs, initVars }: EngineParameters): void {
  const fields = inputDefs.flatMap((inputDef) => inputDef.fields);
  const types = [...fields, ...initVars].map(({ fType }) => fType);
  const ops = inputDefs.flatMap(({ conditions }) => conditions.map(({ op }) => op));
  if (types.some((fType) => fType >= fieldTypeCount) || ops.some((op) => op >= opCount)) refuseBytes();
}

function registerVerifiers(verifiers: readonly VerifierInit[]): EngineRules['verifiers'] {
  const registered = new Map<string, Address>();
  for (const { key, verifier } of verifiers) {
    if (isZero(verifier)) throw new EngineRevert({ name: 'VerifierZero', args: [] });
    if (registered.has(lower(key))) throw new EngineRevert({ name: 'DuplicateVerifier', args: [lower(key)] });
    registered.set(lower(key), verifier);
  }
  return registered;
}

function registerInputDefs(
  inputDefs: readonly InputDef[],
  verifiers: EngineRules['verifiers'],
): EngineRules['inputDefs'] {
  const registered = new Map<string, InputDef>();
  for (const inputDef of inputDefs) {
    const id = lower(inputDef.id);
    if (id === zeroHash) refuseFor('InputDef id zero');
    if (registered.has(id)) refuseFor('Duplicate inputId');
    const verifierKeys = inputDef.verifierKeys.map(lower);
    const unknown = verifierKeys.find((key) => !verifiers.has(key));
    if (unknown !== undefined) throw new EngineRevert({ name: 'UnknownVerifier', args: [unknown] });
    const fields = inputDef.fields.map((field) => ({ ...field, fieldId: lower(field.fieldId) }));
    const conditions = inputDef.conditions.map(({ op, fieldId, bytesArg }) => ({
      op,
      fieldId: lower(fieldId),
      bytesArg: lower(bytesArg),
    }));
    registered.set(id, { id, fields, conditions, verifierKeys });
  }
  return registered;
}

function registerTransitions(transitions: readonly Transition[]): EngineRules['transitions'] {
  const registered = new Map<string, Hex>();
  for (const { fromState, toState, inputId } of transitions) {
    const key = transitionKey(lower(fromState), lower(inputId));
    if (!registered.has(key)) registered.set(key, lower(toState));
  }
  return registered;
}

function storeInitVars(initVars: readonly DataField[]): Map<string, StoredVariable | 'unknown'> {
  const stored = new Map<string, StoredVariable | 'unknown'>();
  for (const { id, fType, data } of initVars) {
    if (lower(id) === zeroHash) refuseFor('InitVar id zero');
    requireDecodable(fType, lower(data));
    stored.set(lower(id), { fType, data: lower(data) });
  }
  return stored;
}

function registerActions(actions: readonly ActionInit[]): EngineRules['actions'] {
  const registered = new Map<string, ActionInit>();
  for (const action of actions) {
    if (isZero(action.target)) throw new EngineRevert({ name: 'ActionTargetZero', args: [] });
    registered.set(transitionKey(lower(action.fromState), lower(action.inputId)), action);
  }
  return registered;
}

function isZero(address: Address | undefined): boolean {
  return address?.toLowerCase() === zeroAddress;
}

function lower(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
