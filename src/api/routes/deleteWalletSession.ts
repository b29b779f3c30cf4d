import { endWalletSession } from '../../records/sessions/walletSessions.ts';
import { admitWallet } from '../endpoint/admitWallet.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { toWalletSession, walletSessionShape } from '../shapes/walletShapes.ts';

export function endWalletSessionEndpoint({ database, wallets, cookies }: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'delete',
    path: '/v0/wallet/sessions/current',
    operationId: 'endWalletSession',
    tag: 'Wallets',
    summary: 'Sign out a wallet',
    credentials: ['walletSession'],
    params: none,
    query: none,
    body: noBody,
    data: { schema: walletSessionShape, description: 'The ended session.' },
    refusals: [],
    example: {},
    admit: admitWallet(wallets),
    async handle({ headers, admitted: session, requestId }) {
      await endWalletSession(database, cookies.read(headers, 'wallet'));
      const response = respondSingle({ requestId, dataText: JSON.stringify(toWalletSession(session)) });
      response.headers.set('set-cookie', cookies.clear('wallet'));
      return response;
    },
  });
}
