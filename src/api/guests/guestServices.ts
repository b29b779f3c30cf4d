import type { AdmissionServices } from '../admission/admissionServices.ts';
import type { Cookies } from '../authentication/cookies.ts';
import type { FailedAttempts } from '../authentication/failedAttempts.ts';
import type { GuestAuthenticator } from './guestAuthenticator.ts';
import type { WalletAuthenticator } from './walletAuthenticator.ts';

/** What the routes for guests work with. */
export type GuestServices = AdmissionServices & {
  readonly guests: GuestAuthenticator;
  readonly wallets: WalletAuthenticator;
  readonly cookies: Cookies;
  /** Bounds how often one client may try signatures that are not good. */
  readonly failedAttempts: FailedAttempts;
};
