import type { Address, Hex } from 'viem';
import type { ActionInit, AgreementParameters, InputDef } from '../onChain.ts';
import type { Layers } from './layers.ts';

/** What creates an agreement, as far as its behaviour goes: what `compileAgreement` gives, and who will own it. */
export type EngineParameters = Pick<
  AgreementParameters,
  'initialState' | 'inputDefs' | 'transitions' | 'initVars' | 'verifiers' | 'actions'
> & {
  /** The caller, or the permit's signer. Absent: some account; only the zero address makes a difference. */
  readonly owner?: Address | undefined;
};

/** A variable that the engine holds; `data` is the encoding of a value of that type. */
export type StoredVariable = { readonly fType: number; readonly data: Hex };

/** What creation fixes for good. All hex is in lower case. */
export type EngineRules = {
  readonly inputDefs: ReadonlyMap<string, InputDef>;
  /** The state after an input, by `transitionKey`; of several transitions alike the first counts. */
  readonly transitions: ReadonlyMap<string, Hex>;
  /** The call that a transition makes, by `transitionKey`; of several alike the last counts. */
  readonly actions: ReadonlyMap<string, ActionInit>;
  readonly verifiers: ReadonlyMap<string, Address>;
};

/**
 * An agreement's engine at a moment: its rules and what they stand at. A value: it is never changed, and those that follow from it
 * share with it what stays the same.
 */
export type Engine = {
  readonly rules: EngineRules;
  readonly state: Hex;
  /** By id. A variable that is absent is not set; `unknown` is one of which nobody says whether it is, and to what. */
  readonly variables: Layers<string, StoredVariable | 'unknown'>;
  /** The next permit's nonce by address in lower case; absent: 0. */
  readonly nonces: Layers<string, bigint>;
};

/** Under what a transition and its action are looked up. */
export function transitionKey(fromState: string, inputId: string): string {
  return `${fromState}${inputId}`;
}

/** The nonce that the engine expects of this signer's next permit. */
export function permitNonce(engine: Engine, signer: Address): bigint {
  return engine.nonces.get(signer.toLowerCase()) ?? 0n;
}
