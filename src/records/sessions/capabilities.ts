import { AccessError } from '../../platform/errors/serviceError.ts';
import { type Scope, scopes } from '../principals/scopes.ts';

/** The part of its key's permissions that a session has; null for all. */
export type Capabilities = readonly Scope[] | null;

/** Stored capabilities as scopes. A scope that no longer exists is dropped, so it never widens anything. */
export function readCapabilities(stored: readonly string[] | null): Capabilities {
  return stored === null ? null : scopes.filter((scope) => stored.includes(scope));
}

/** Capabilities narrowed by the creator's own: never more than the creator has. */
export function narrow(own: Capabilities, wanted: Capabilities): Capabilities {
  if (own === null) return wanted;
  return wanted === null ? own : wanted.filter((scope) => own.includes(scope));
}

/**
 * Refuses narrowed sessions: matters of the whole principal are not for guests with partial access.
 *
 * @throws AccessError `forbidden`.
 */
export function requireWhole(own: Capabilities | undefined): void {
  if (own === null || own === undefined) return;
  throw new AccessError('forbidden', 'This is not available to narrowed sessions.');
}
