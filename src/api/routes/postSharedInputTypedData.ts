import { prepareInput } from '../agreements/prepareInput.ts';
import { writeSignable } from '../agreements/typedDataJson.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import { inTurnOfGuests, requireSigner } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { inputTypedDataParts } from './inputTypedData.ts';

export function makeSharedInputTypedData(services: GuestServices): Endpoint {
  return defineGuestEndpoint(services, {
    ...inputTypedDataParts,
    method: 'post',
    path: '/v0/shared/agreement/input-typed-data',
    operationId: 'makeSharedInputTypedData',
    summary: 'Build the typed data to sign for an input of a signing link',
    description:
      'Only for the wallet of the link. Otherwise like `POST /v0/agreements/{id}/input-typed-data`.',
    need: 'sign',
    query: sharedQuery,
    example: { body: exampleStory.unsignedReturn },
    async handle({ guest, body, inPageTurn, requestId }) {
      await requireSigner(guest, { pool: services.pool, signer: body.signer, inPageTurn });
      const { principalId, recordId } = guest;
      const target = {
        reference: { id: recordId },
        principalId,
        inPageTurn: inTurnOfGuests(principalId, inPageTurn),
      };
      const signable = await prepareInput({ ...body, ...target, isPending: true }, services);
      return respondSingle({ requestId, dataText: writeSignable(signable) });
    },
  });
}
