import { type Address, getAddress, isAddress, zeroAddress } from 'viem';
import { checkInputValues } from '../../../src/protocol/checkInputValues.ts';
import { compileAgreement } from '../../../src/protocol/compileAgreement.ts';
import { encodeInputPayload } from '../../../src/protocol/encodePayload.ts';
import type { Issue } from '../../../src/protocol/errors.ts';
import { type AcceptedInput, acceptedInputs, stateName } from '../../../src/protocol/lookups.ts';
import { applyInput } from '../../../src/protocol/model/applyInput.ts';
import { createEngine } from '../../../src/protocol/model/createEngine.ts';
import type { Engine } from '../../../src/protocol/model/engine.ts';
import type { Revert } from '../../../src/protocol/model/reverts.ts';
import { nameHash } from '../../../src/protocol/names.ts';

export type SimulatedAgreement = {
  readonly agreement: object;
  readonly initValues?: Readonly<Record<string, unknown>> | undefined;
  readonly participants?:
    | readonly { readonly variableKey: string; readonly walletAddress: string }[]
    | undefined;
};

export type SimulatedInput = {
  readonly inputId: string;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** The submitter: a participant's variable, or an address. */
  readonly by: string;
};

export type SimulatedOutcome =
  | {
      readonly ok: true;
      readonly fromState: string;
      readonly toState: string;
      /** Unknown results outside the agreement: verifiers that are asked, and the call that is made. */
      readonly external: { readonly verifiers: number; readonly call: boolean };
    }
  | {
      readonly ok: false;
      readonly state: string;
      readonly reason: 'unknown_input' | 'schema_mismatch' | 'reverted';
      /** What to change in the values. */
      readonly issues: readonly Issue[];
      /** The contract's revert. */
      readonly revert?: Revert;
    };

/** A simulated agreement, by the contract's own rules and without a chain. */
export type Simulation = {
  readonly state: string;
  /** The possible next inputs, with their fields. */
  accepted(): readonly AcceptedInput[];
  /** Simulates an input. A refused input changes nothing. */
  play(input: SimulatedInput): SimulatedOutcome;
};

/**
 * Simulates an agreement locally, also in a browser: nothing is sent or requested.
 *
 * @throws AgreementError for a document that does not compile, ValuesError for values that it cannot start from, and EngineRevert
 * where the contract would refuse to be created.
 *
 * @example
 * const simulation = createSimulation({
 *   agreement,
 *   initValues: { wall: 'East wall', wallSquareMetres: '84' },
 *   participants: [
 *     { variableKey: 'patron', walletAddress: '0x…' },
 *     { variableKey: 'artist', walletAddress: '0x…' },
 *   ],
 * });
 * simulation.play({ inputId: 'acceptCommission', by: 'artist', values: { artistSignature: 'M. Tamm' } });
 * console.log(simulation.state);
 */
export function createSimulation({
  agreement,
  initValues,
  participants = [],
}: SimulatedAgreement): Simulation {
  const wallets = Object.fromEntries(
    participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress]),
  );
  const parties: Readonly<Record<string, unknown>> = { ...initValues, ...wallets };
  // If the document has no id, any URI will do: nothing here depends on it.
  let engine: Engine = createEngine(compileAgreement(agreement, { docUri: 'simulation:', values: parties }));
  const nameOf = (hash: Engine['state']) => stateName(agreement, hash) ?? hash;

  return {
    get state() {
      return nameOf(engine.state);
    },
    accepted: () => acceptedInputs(agreement, nameOf(engine.state)),
    play({ inputId, values = {}, by }) {
      const state = nameOf(engine.state);
      const issues = checkInputValues({ agreement, inputId, values });
      if (issues.length > 0) {
        const isUnknown = issues.some(({ path }) => path === 'inputId');
        return { ok: false, state, reason: isUnknown ? 'unknown_input' : 'schema_mismatch', issues };
      }
      const sender = addressOf(by, parties);
      const payload = encodeInputPayload(agreement, inputId, values);
      const time = BigInt(Math.floor(Date.now() / 1_000));
      const outcome = applyInput(engine, { sender, inputId: nameHash(inputId), payload, time });
      if (outcome.ok === null) throw new Error('A variable of the simulation is not known.');
      if (!outcome.ok) return { ok: false, state, reason: 'reverted', issues: [], revert: outcome.revert };
      engine = outcome.engine;
      const external = { verifiers: outcome.verifiers.length, call: outcome.action !== undefined };
      return { ok: true, fromState: state, toState: nameOf(outcome.toState), external };
    },
  };
}

/** @throws TypeError for a name that stands for no wallet. */
function addressOf(by: string, parties: Readonly<Record<string, unknown>>): Address {
  const address = Object.hasOwn(parties, by) ? parties[by] : by;
  if (typeof address === 'string' && isAddress(address, { strict: false }) && address !== zeroAddress)
    return getAddress(address);
  throw new TypeError(`${JSON.stringify(by)} is neither a participant with a wallet nor an address.`);
}
