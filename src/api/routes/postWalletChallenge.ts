import { z } from '@hono/zod-openapi';
import { createChallenge } from '../../records/sessions/walletSessions.ts';
import { requireOwnPage } from '../authentication/ownPage.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { addressShape } from '../shapes/shapes.ts';
import { walletChallengeShape } from '../shapes/walletShapes.ts';

const bodyShape = z.strictObject({
  wallet: addressShape,
  chainId: z
    .int()
    .min(1)
    .optional()
    .openapi({ description: 'The chain that the wallet is connected to. Any chain id is accepted.' }),
});

export function createWalletChallenge({ database, chains, publicBaseUrl }: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/wallet/challenges',
    operationId: 'createWalletChallenge',
    tag: 'Wallets',
    summary: 'Create the message that a wallet signs to sign in',
    description:
      'An EIP-4361 message for this service. It can be used once, within five minutes. Requires the header `X-Agreements-Session: 1`.',
    credentials: ['none'],
    params: none,
    query: none,
    body: bodyShape,
    data: { schema: walletChallengeShape, description: 'The message to sign with `personal_sign`.' },
    refusals: [400, 413, 415],
    example: { body: { wallet: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' } },
    async admit({ headers, limitClient }) {
      requireOwnPage(headers, publicBaseUrl);
      await limitClient('wallet challenge');
    },
    async handle({ body, requestId }) {
      const { wallet, chainId = chains[0]?.chainId ?? 1 } = body;
      const challenge = await createChallenge(database, { wallet, chainId, publicBaseUrl });
      return respondSingle({ requestId, dataText: JSON.stringify(challenge) });
    },
  });
}
