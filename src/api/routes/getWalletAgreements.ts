import { z } from '@hono/zod-openapi';
import { admitWallet } from '../endpoint/admitWallet.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { listOpenedRecords } from '../guests/listOpenedRecords.ts';
import { createOfferedInputs } from '../guests/offeredInputs.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters } from '../shapes/listParameters.ts';
import { walletAgreementShape } from '../shapes/walletShapes.ts';

export function getWalletAgreements(services: GuestServices): Endpoint {
  const { pool, wallets } = services;
  const offeredInputs = createOfferedInputs(pool);
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/wallet/agreements',
    operationId: 'listWalletAgreements',
    tag: 'Wallets',
    summary: 'List the agreements of the signed-in wallet',
    description:
      'Lists the agreements that name the wallet and allow participant access, across all principals, newest first. Each item says what the wallet can do now. A page may have fewer items than its limit, or none, and still have a `nextCursor`.',
    credentials: ['walletSession'],
    params: none,
    query: z.strictObject(pageParameters),
    body: noBody,
    data: { schema: walletAgreementShape, description: 'A page of agreements.', isList: true },
    refusals: [400],
    example: {},
    admit: admitWallet(wallets),
    async handle({ query, admitted: { wallet }, inWalletTurn, requestId }) {
      return inWalletTurn(wallet, async () => {
        const { items, ...page } = await listOpenedRecords(services, offeredInputs, { wallet, ...query });
        return respondPage({
          requestId,
          dataText: JSON.stringify(items),
          pageInfo: { limit: query.limit, ...page },
        });
      });
    },
  });
}
