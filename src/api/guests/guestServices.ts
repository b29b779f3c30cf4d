import type { AdmissionServices } from '../admission/createAdmission.ts';
import type { Cookies } from '../authentication/cookies.ts';
import type { FailedAttempts } from '../authentication/failedAttempts.ts';
import type { GuestAuthenticator } from './guestAuthenticator.ts';
import type { WalletAuthenticator } from './walletAuthenticator.ts';

export type GuestServices = AdmissionServices & {
  readonly guests: GuestAuthenticator;
  readonly wallets: WalletAuthenticator;
  readonly cookies: Cookies;
  /** Limits how often one client may try invalid signatures. */
  readonly failedAttempts: FailedAttempts;
};
