import { admitWallet } from '../endpoint/admitWallet.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { toWalletSession, walletSessionShape } from '../shapes/walletShapes.ts';

export function getWalletSession({ wallets }: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/wallet/sessions/current',
    operationId: 'getWalletSession',
    tag: 'Wallets',
    summary: 'Read the current wallet session',
    credentials: ['walletSession'],
    params: none,
    query: none,
    body: noBody,
    data: { schema: walletSessionShape, description: 'The session.' },
    refusals: [],
    example: {},
    admit: admitWallet(wallets),
    async handle({ admitted: session, requestId }) {
      return respondSingle({ requestId, dataText: JSON.stringify(toWalletSession(session)) });
    },
  });
}
