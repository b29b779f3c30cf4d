import type { Database } from '../../platform/database/database.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { findWalletSession, type WalletSession } from '../../records/sessions/walletSessions.ts';
import type { Cookies } from '../authentication/cookies.ts';
import { requireOwnPage } from '../authentication/ownPage.ts';

/** Authenticates a browser by its logged-in wallet. */
export type WalletAuthenticator = {
  /**
   * @throws AccessError `unauthorized` without a session in force; `forbidden` for a request that no page of the service has sent.
   */
  authenticate(headers: Headers): Promise<WalletSession>;
};

export function createWalletAuthenticator({
  database,
  cookies,
  publicBaseUrl,
}: {
  database: Database;
  cookies: Cookies;
  publicBaseUrl: string;
}): WalletAuthenticator {
  return {
    async authenticate(headers) {
      const token = cookies.read(headers, 'wallet');
      if (token === undefined) throw new AccessError('unauthorized', 'No wallet is signed in.');
      requireOwnPage(headers, publicBaseUrl);
      const session = await findWalletSession(database, token);
      if (!session) throw new AccessError('unauthorized', 'The wallet session has ended.');
      return session;
    },
  };
}
