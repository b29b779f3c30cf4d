import { AccessError } from '../../platform/errors/serviceError.ts';
import { type Scope, scopes } from '../principals/scopes.ts';

/** What a session may do of what its key may; null for all of it. */
export type Capabilities = readonly Scope[] | null;

/** What is stored, as scopes: one that there is no more is left out, and so never widens anything. */
export function readCapabilities(stored: readonly string[] | null): Capabilities {
  return stored === null ? null : scopes.filter((scope) => stored.includes(scope));
}

/** What is left of capabilities where a maker that is narrowed itself narrows further: never more than the maker has. */
export function narrow(own: Capabilities, wanted: Capabilities): Capabilities {
  if (own === null) return wanted;
  return wanted === null ? own : wanted.filter((scope) => own.includes(scope));
}

/**
 * Lets nobody on whose session is narrowed: what concerns the principal as a whole is not for those whom it lets in for a part.
 *
 * @throws AccessError `forbidden`.
 */
export function requireWhole(own: Capabilities | undefined): void {
  if (own === null || own === undefined) return;
  throw new AccessError('forbidden', 'The session is narrowed, and not good for this.');
}
