import type { WalletSession } from '../../records/sessions/walletSessions.ts';
import type { WalletAuthenticator } from '../guests/walletAuthenticator.ts';
import type { OpenSender } from './endpointDefinition.ts';

/**
 * Admits wallets that have logged in, and counts their requests.
 *
 * @throws AccessError, RateLimitedError
 */
export function admitWallet(
  wallets: WalletAuthenticator,
): (sender: OpenSender<unknown>) => Promise<WalletSession> {
  return async ({ headers, client, limitRate }) => {
    const session = await wallets.authenticate(headers, client);
    await limitRate(session.wallet);
    return session;
  };
}
