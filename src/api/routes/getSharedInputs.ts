import { toSharedInput } from '../agreements/inputJson.ts';
import { listInputs } from '../agreements/listInputs.ts';
import { type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondPage } from '../shapes/envelopes.ts';
import { pageParameters, readPage, sortParameter } from '../shapes/listParameters.ts';
import { sharedInputShape, sharedQuery } from '../shapes/sharingShapes.ts';

export function getSharedInputs(services: GuestServices): Endpoint {
  return defineGuestEndpoint(services, {
    method: 'get',
    path: '/v0/shared/agreement/inputs',
    operationId: 'listSharedInputs',
    summary: 'List the inputs of the agreement of a signing link',
    description: 'Newest first by default.',
    need: 'read',
    query: sharedQuery.extend({ ...pageParameters, 'sort[createdAt]': sortParameter }),
    body: noBody,
    data: { schema: sharedInputShape, description: 'A page of inputs.', isList: true },
    refusals: [400, 404],
    example: { query: { limit: 10 } },
    async handle({ guest: { recordId, principalId }, query, turn, inPageTurn, requestId }) {
      const list = {
        reference: { id: recordId },
        principalId,
        ...readPage(query),
        createdAt: {},
        updatedAt: {},
      };
      return inPageTurn(turn, async () => {
        const { dataText, ...page } = await listInputs(services.pool, list, toSharedInput);
        return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...page } });
      });
    },
  });
}
