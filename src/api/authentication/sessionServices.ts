import type { Services } from '../../records/agreements/services.ts';
import type { Authenticator } from './authenticator.ts';
import type { Cookies } from './cookies.ts';
import type { FailedAttempts } from './failedAttempts.ts';

/** The dependencies of the session routes, in addition to those of agreements. */
export type SessionServices = Services & {
  readonly authenticator: Authenticator;
  readonly cookies: Cookies;
  /** Limits how often one client may try unknown secrets. */
  readonly failedAttempts: FailedAttempts;
};
