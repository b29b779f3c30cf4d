import { createAcceptedInputs } from '../agreements/acceptedInputs.ts';
import { readState } from '../agreements/readState.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { stateParts } from './getState.ts';

export function getSharedState(services: GuestServices): Endpoint {
  const { pool } = services;
  const acceptedInputs = createAcceptedInputs(pool);
  return defineGuestEndpoint(services, {
    ...stateParts,
    method: 'get',
    path: '/v0/shared/agreement/state',
    operationId: 'getSharedState',
    summary: 'Read the state and accepted inputs of the agreement of a signing link',
    need: 'read',
    query: sharedQuery,
    example: {},
    handle: ({ guest: { recordId, principalId }, turn, inPageTurn, requestId }) =>
      inPageTurn(turn, async () => {
        const reference = { id: recordId };
        return respondLarge({
          requestId,
          ...(await readState(pool, acceptedInputs, { reference, principalId })),
        });
      }),
  });
}
