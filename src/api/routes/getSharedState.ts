import { createAcceptedInputs } from '../agreements/acceptedInputs.ts';
import { readState } from '../agreements/readState.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { stateShape } from '../shapes/resources.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';

export function getSharedState({ pool, guests }: GuestServices): Endpoint {
  const acceptedInputs = createAcceptedInputs(pool);
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/shared/agreement/state',
    operationId: 'getSharedState',
    tag: 'Sharing',
    summary: 'Read the state and accepted inputs of the agreement of a signing link',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: noBody,
    data: { schema: stateShape, description: 'The state as of `blockNumber`.' },
    refusals: [400, 404],
    example: {},
    async handle({ query, headers, client, limitGuest, inPageTurn, requestId }) {
      const { name, recordId, principalId } = await guests.admit({
        agreementId: query.agreementId,
        headers,
        client,
        need: 'read',
      });
      await limitGuest({ name, principalId });
      return inPageTurn(turnOfGuests(principalId), async () => {
        const reference = { id: recordId };
        return respondLarge({
          requestId,
          ...(await readState(pool, acceptedInputs, { reference, principalId })),
        });
      });
    },
  });
}
