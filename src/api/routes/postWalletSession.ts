import { z } from '@hono/zod-openapi';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { endWalletSession, openWalletSession } from '../../records/sessions/walletSessions.ts';
import { requireOwnPage } from '../authentication/ownPage.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { buildHexShape } from '../shapes/shapes.ts';
import { toWalletSession, walletSessionShape } from '../shapes/walletShapes.ts';

const bodyShape = z.strictObject({
  challengeId: z.string().max(64).openapi({ example: 'wch_0123456789abcdef0123456789abcdef' }),
  signature: buildHexShape(130),
});

export function createWalletSession(services: GuestServices): Endpoint {
  const { database, limits, cookies, failedAttempts, publicBaseUrl } = services;
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/wallet/sessions',
    operationId: 'createWalletSession',
    tag: 'Wallets',
    summary: 'Open a browser session with a signed challenge',
    description:
      'Sets an HttpOnly cookie. The session gives access to the agreements that name the wallet and allow participant access, across all principals. It has a fixed lifetime that use does not extend. Requires the header `X-Agreements-Session: 1`. Pages of other origins cannot open a session.',
    credentials: ['none'],
    params: none,
    query: none,
    body: bodyShape,
    data: { schema: walletSessionShape, description: 'The session. The cookie is in the headers.' },
    refusals: [400, 401, 413, 415],
    example: {
      body: { challengeId: 'wch_0123456789abcdef0123456789abcdef', signature: `0x${'1b'.repeat(65)}` },
    },
    async admit({ headers, client, limitClient }) {
      requireOwnPage(headers, publicBaseUrl);
      if (client !== undefined) failedAttempts.require(client);
      await limitClient('wallet login');
    },
    async handle({ body, headers, client, requestId }) {
      const lifetimeSeconds = limits.sessionIdleSeconds;
      const { session, token } = await openWalletSession(database, { ...body, lifetimeSeconds }).catch(
        (error: unknown) => {
          if (client !== undefined && error instanceof AccessError) failedAttempts.note(client);
          throw error;
        },
      );
      await endWalletSession(database, cookies.read(headers, 'wallet'));
      const response = respondSingle({ requestId, dataText: JSON.stringify(toWalletSession(session)) });
      response.headers.set('set-cookie', cookies.write('wallet', token, lifetimeSeconds));
      return response;
    },
  });
}
