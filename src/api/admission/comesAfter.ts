import { findOwnError } from '../../platform/nodes/ownRefusal.ts';
import type { PermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { LocalFacts } from './createAdmission.ts';

/** The contract's refusals of an input that comes too early, before it reaches an action. */
const earlyErrors = new Set([
  'InvalidSignature',
  'No valid transition',
  'SenderAddressMismatch',
  'SenderAddressNotAllowed',
  'VarNotSet',
  'ComparisonFailed',
]);

/**
 * Whether a node refuses an input only because its predecessors are not mined yet. Index and outbox then say
 * that everything except verifiers and action is right. A node that got past these predecessors knows better.
 */
export function comesAfter(local: LocalFacts | undefined, facts: PermitFacts): local is LocalFacts {
  if (!local || local.openCount === 0 || !local.simulation?.ok) return false;
  return earlyErrors.has(findOwnError(facts.simulation) ?? '');
}
