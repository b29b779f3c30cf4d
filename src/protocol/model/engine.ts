import type { Address, Hex } from 'viem';
import type { ActionInit, AgreementParameters, InputDef } from '../onChain.ts';
import type { Layers } from './layers.ts';

/**
 * The parts of an agreement's creation that affect its behaviour: the output of `compileAgreement`, and the
 * owner.
 */
export type EngineParameters = Pick<
  AgreementParameters,
  'initialState' | 'inputDefs' | 'transitions' | 'initVars' | 'verifiers' | 'actions'
> & {
  /** The caller, or the permit's signer. Absent: any account; only the zero address makes a difference. */
  readonly owner?: Address | undefined;
};

/** A variable that the engine holds; `data` is the encoding of a value of that type. */
export type StoredVariable = { readonly fType: number; readonly data: Hex };

/** Fixed at creation. All hex is in lower case. */
export type EngineRules = {
  readonly inputDefs: ReadonlyMap<string, InputDef>;
  /** The state after an input, by `transitionKey`; of equal transitions the first counts. */
  readonly transitions: ReadonlyMap<string, Hex>;
  /** The call that a transition makes, by `transitionKey`; of equal ones the last counts. */
  readonly actions: ReadonlyMap<string, ActionInit>;
  readonly verifiers: ReadonlyMap<string, Address>;
};

/**
 * An agreement's engine at a moment: its rules and its data. It is an immutable value; later engines share
 * unchanged parts with it.
 */
export type Engine = {
  readonly rules: EngineRules;
  readonly state: Hex;
  /** By id. An absent variable is not set; `unknown` means that nobody knows whether it is set, and to what. */
  readonly variables: Layers<string, StoredVariable | 'unknown'>;
  /** The next permit's nonce by address in lower case; absent: 0. */
  readonly nonces: Layers<string, bigint>;
};

export function transitionKey(fromState: string, inputId: string): string {
  return `${fromState}${inputId}`;
}

/** The nonce that the engine expects of this signer's next permit. */
export function permitNonce(engine: Engine, signer: Address): bigint {
  return engine.nonces.get(signer.toLowerCase()) ?? 0n;
}
