import { prepareInput } from '../agreements/prepareInput.ts';
import { writeSignable } from '../agreements/typedDataJson.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { findTurnOfGuests, inTurnOfGuests, requireSigner } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { unsignedInputBody } from '../shapes/inputBody.ts';
import { deadlineReasons, inputReasons } from '../shapes/refusalReasons.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { signableInputShape } from '../shapes/signableShape.ts';

export function makeSharedInputTypedData(services: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/shared/agreement/input-typed-data',
    operationId: 'makeSharedInputTypedData',
    tag: 'Sharing',
    summary: 'Build the typed data to sign for an input of a signing link',
    description:
      'Only for the wallet of the link. Otherwise like `POST /v0/agreements/{id}/input-typed-data`.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: unsignedInputBody,
    data: { schema: signableInputShape, description: 'The typed data and the verdict.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: ['not_deployed', ...inputReasons, ...deadlineReasons],
    example: { body: exampleStory.unsignedReturn },
    findTurn: findTurnOfGuests(services),
    async handle({ query, body, headers, client, limitGuest, inPageTurn, requestId }) {
      const guest = await services.guests.admit({
        agreementId: query.agreementId,
        headers,
        client,
        need: 'sign',
      });
      await limitGuest(guest);
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
