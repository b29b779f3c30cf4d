import type { Services } from '../../records/agreements/services.ts';
import type { Authenticator } from './authenticator.ts';
import type { Cookies } from './cookies.ts';
import type { FailedAttempts } from './failedAttempts.ts';

/** What the routes of sessions work with, beside what those of agreements do. */
export type SessionServices = Services & {
  readonly authenticator: Authenticator;
  readonly cookies: Cookies;
  /** Bounds how often one client may try unknown secrets. */
  readonly failedAttempts: FailedAttempts;
};
