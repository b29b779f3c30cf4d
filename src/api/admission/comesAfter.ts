import { findOwnError } from '../../platform/nodes/ownRefusal.ts';
import type { PermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { LocalFacts } from './createAdmission.ts';

/** What the contract has against an input whose turn has not come, before it gets to an action. */
const earlyErrors = new Set([
  'InvalidSignature',
  'No valid transition',
  'SenderAddressMismatch',
  'SenderAddressNotAllowed',
  'VarNotSet',
  'ComparisonFailed',
]);

/**
 * Whether a node refuses an input only because those are not mined yet that it comes after: by index and outbox everything but
 * verifiers and action is as it has to be then. A node that has got as far as these knows better.
 */
export function comesAfter(local: LocalFacts | undefined, facts: PermitFacts): local is LocalFacts {
  if (!local || local.openCount === 0 || !local.simulation?.ok) return false;
  return earlyErrors.has(findOwnError(facts.simulation) ?? '');
}
