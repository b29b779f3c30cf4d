import type { Database } from '../../platform/database/database.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { findWalletSession, type WalletSession } from '../../records/sessions/walletSessions.ts';
import type { Cookies } from '../authentication/cookies.ts';
import type { FailedAttempts } from '../authentication/failedAttempts.ts';
import { findCredential } from '../authentication/findCredential.ts';
import { createFreshLookup } from '../authentication/freshLookup.ts';
import { requireOwnPage } from '../authentication/ownPage.ts';

/** Authenticates a browser by its logged-in wallet. */
export type WalletAuthenticator = {
  /**
   * @param client the address that the request came from, if it is known.
   * @throws AccessError `unauthorized` without a session in force; `forbidden` for a request that no page of the service has sent.
   * @throws RateLimitedError if the session is new here and its client has sent too many unknown credentials.
   */
  authenticate(headers: Headers, client: string | undefined): Promise<WalletSession>;
};

export function createWalletAuthenticator({
  database,
  cookies,
  failedAttempts,
  publicBaseUrl,
}: {
  database: Database;
  cookies: Cookies;
  failedAttempts: FailedAttempts;
  publicBaseUrl: string;
}): WalletAuthenticator {
  const sessions = createFreshLookup((token) => findWalletSession(database, token));
  return {
    async authenticate(headers, client) {
      const token = cookies.read(headers, 'wallet');
      if (token === undefined) throw new AccessError('unauthorized', 'No wallet is signed in.');
      requireOwnPage(headers, publicBaseUrl);
      const session = await findCredential(sessions, {
        credential: token,
        findClient: () => client,
        failedAttempts,
      });
      if (session) return session;
      throw new AccessError('unauthorized', 'The wallet session has ended.');
    },
  };
}
