import type { Reason } from '../errors/serviceError.ts';
import { decodeRevert } from './decodeRevert.ts';
import type { Simulation } from './simulateCall.ts';

/** The meaning of an error of the agreement's contract, or of the factory, for the permit or the input itself. */
export type OwnRefusal = { readonly reason: Reason; readonly field: string; readonly message: string };

const unfitValues = {
  reason: 'schema_mismatch',
  field: 'values',
  message: 'The values do not match the input in the contract.',
} as const;
const refusals: Readonly<Record<string, OwnRefusal>> = {
  PermitExpired: {
    reason: 'permit_expired',
    field: 'deadline',
    message: 'The deadline of the permit will pass before the next block.',
  },
  'Unknown inputId': {
    reason: 'unknown_input',
    field: 'inputId',
    message: 'The contract of the agreement does not have this input.',
  },
  'No valid transition': {
    reason: 'state_not_accepting',
    field: 'inputId',
    message: 'The agreement is about to leave the state that accepts this input.',
  },
  'Field type mismatch': unfitValues,
  'Required field missing': unfitValues,
  'Condition field not found in input data': unfitValues,
  ComparisonFailed: unfitValues,
};

/**
 * Why the called contract refuses a call, if it gives a reason of its own; undefined otherwise, such as for
 * reverts of actions.
 */
export function findOwnRefusal(simulation: Simulation | undefined): OwnRefusal | undefined {
  const error = findOwnError(simulation);
  return error !== undefined && Object.hasOwn(refusals, error) ? refusals[error] : undefined;
}

/**
 * The name of the error with which the called contract itself reverted, or its text without a name. Undefined
 * if it did not revert, or if a contract that it called did.
 */
export function findOwnError(simulation: Simulation | undefined): string | undefined {
  if (simulation?.ok !== false) return undefined;
  const { name, message, target } = decodeRevert(simulation.data);
  if (target !== undefined) return undefined;
  return name === 'Error' ? message : name;
}
