import { toSharedInput } from '../agreements/inputJson.ts';
import { listInputs } from '../agreements/listInputs.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters, readPage, sortParameter } from '../shapes/listParameters.ts';
import { sharedInputShape, sharedQuery } from '../shapes/sharingShapes.ts';

export function getSharedInputs({ pool, guests }: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/shared/agreement/inputs',
    operationId: 'listSharedInputs',
    tag: 'Sharing',
    summary: 'List the inputs of the agreement of a signing link',
    description: 'Newest first by default.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery.extend({ ...pageParameters, 'sort[createdAt]': sortParameter }),
    body: noBody,
    data: { schema: sharedInputShape, description: 'A page of inputs.', isList: true },
    refusals: [400, 404],
    example: { query: { limit: 10 } },
    async handle({ query, headers, client, limitGuest, inPageTurn, requestId }) {
      const { name, recordId, principalId } = await guests.admit({
        agreementId: query.agreementId,
        headers,
        client,
        need: 'read',
      });
      await limitGuest({ name, principalId });
      const list = {
        reference: { id: recordId },
        principalId,
        ...readPage(query),
        createdAt: {},
        updatedAt: {},
      };
      return inPageTurn(turnOfGuests(principalId), async () => {
        const { dataText, ...page } = await listInputs(pool, list, toSharedInput);
        return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...page } });
      });
    },
  });
}
