import type { Database } from '../../platform/database/database.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { findWalletSession, type WalletSession } from '../../records/sessions/walletSessions.ts';
import type { Cookies } from '../authentication/cookies.ts';
import type { FailedAttempts } from '../authentication/failedAttempts.ts';
import { requireOwnPage } from '../authentication/ownPage.ts';

/** Authenticates a browser by its logged-in wallet. */
export type WalletAuthenticator = {
  /**
   * @param client the address that the request came from, if it is known.
   * @throws AccessError `unauthorized` without a session in force; `forbidden` for a request that no page of the service has sent.
   * @throws RateLimitedError if the client has sent too many unknown credentials.
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
  return {
    async authenticate(headers, client) {
      const token = cookies.read(headers, 'wallet');
      if (token === undefined) throw new AccessError('unauthorized', 'No wallet is signed in.');
      requireOwnPage(headers, publicBaseUrl);
      if (client !== undefined) failedAttempts.require(client);
      const session = await findWalletSession(database, token);
      if (session) return session;
      if (client !== undefined) failedAttempts.note(client);
      throw new AccessError('unauthorized', 'The wallet session has ended.');
    },
  };
}
