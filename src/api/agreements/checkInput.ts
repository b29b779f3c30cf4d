import type { Address, Hex } from 'viem';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { findOwnError } from '../../platform/nodes/ownRefusal.ts';
import type { PermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { Simulation } from '../../platform/nodes/simulateCall.ts';
import {
  checkInputValues,
  type Issuer,
  issuerOf,
  stateName,
  transitionsFor,
  type ValueLimits,
  type WireValues,
} from '../../protocol/index.ts';
import { resolveIssuers } from './acceptedInputs.ts';

export type InputCheck = {
  readonly agreement: unknown;
  readonly inputId: string;
  readonly values: unknown;
  readonly signer: Address;
  /** The record's effective values. */
  readonly variables: WireValues;
  readonly facts: Pick<PermitFacts, 'currentState' | 'simulation'>;
};

/** @throws RefusedError `unknown_input` for an input that the document does not have. */
export function requireInput(agreement: unknown, inputId: string): Issuer {
  const issuer = issuerOf(agreement, inputId);
  if (issuer) return issuer;
  throw new RefusedError('unknown_input', 'The agreement does not have this input.', {
    field: 'inputId',
    facts: { inputId },
  });
}

/**
 * Checks an input against the document, and the chain's current state and sender rules.
 *
 * @param check.encoded the input's encoding; undefined for values without one, which are refused.
 * @returns the encoding.
 * @throws RefusedError for the state, the transitions, the values (all issues at once) or the signer, in this order.
 */
export function checkInput<Encoded>(
  check: InputCheck & { readonly encoded: Encoded | undefined },
  limits: ValueLimits,
): Encoded {
  const { agreement, inputId, facts, encoded } = check;
  const issuer = requireInput(agreement, inputId);
  requireTransition(check, facts.currentState);
  requireValues(check, limits);
  requireIssuer(issuer, check);
  if (encoded === undefined) throw new Error('a validated input has no encoding');
  return encoded;
}

/** @throws RefusedError `schema_mismatch` with all issues. */
export function requireValues(
  { agreement, inputId, values }: Pick<InputCheck, 'agreement' | 'inputId' | 'values'>,
  limits: ValueLimits,
): void {
  const issues = checkInputValues({ agreement, inputId, values }, limits);
  if (issues.length > 0)
    throw new RefusedError('schema_mismatch', 'The values do not match the input.', {
      field: 'values',
      issues,
    });
}

function requireTransition({ agreement, inputId }: InputCheck, stateHash: Hex | undefined): void {
  const transitions = transitionsFor(agreement, inputId);
  if (transitions.length === 0)
    throw new RefusedError('no_transition', 'No transition of the agreement names this input.', {
      field: 'inputId',
      facts: { inputId },
    });
  const state = stateHash && (stateName(agreement, stateHash) ?? stateHash);
  if (transitions.some(({ from }) => from === state)) return;
  throw new RefusedError(
    'state_not_accepting',
    'The agreement does not accept this input in its current state.',
    {
      field: 'inputId',
      facts: {
        inputId,
        currentState: state,
        acceptingStates: [...new Set(transitions.map(({ from }) => from))],
      },
    },
  );
}

/**
 * The effective values may be a block behind the chain, so an input that the chain would accept is not
 * refused; the chain decides about the sender.
 */
function requireIssuer(issuer: Issuer, check: InputCheck): void {
  const { signer, facts } = check;
  const allowed = resolveIssuers(issuer, check.variables);
  const isAllowed = issuer.anyone || allowed.includes(signer) || facts.simulation?.ok === true;
  if (isAllowed && !refusesSender(facts.simulation)) return;
  throw new RefusedError('issuer_not_allowed', 'The signer is not an issuer of this input.', {
    field: 'signer',
    facts: { signer, allowedSigners: allowed },
  });
}

const senderErrors = new Set(['SenderAddressMismatch', 'SenderAddressNotAllowed', 'VarNotSet']);

function refusesSender(simulation: Simulation | undefined): boolean {
  return senderErrors.has(findOwnError(simulation) ?? '');
}
