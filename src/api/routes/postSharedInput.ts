import { toInstant } from '../../platform/lists/instant.ts';
import { toSharedInput } from '../agreements/inputJson.ts';
import { submitInput } from '../agreements/submitInput.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import { inTurnOfGuests, requireSigner } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { sharedInputShape, sharedQuery } from '../shapes/sharingShapes.ts';
import { submitInputParts } from './postInput.ts';

export function submitSharedInput(services: GuestServices): Endpoint {
  return defineGuestEndpoint(services, {
    ...submitInputParts,
    method: 'post',
    path: '/v0/shared/agreement/input',
    operationId: 'submitSharedInput',
    summary: 'Submit an input signed by the participant of a signing link',
    description:
      'Only for the wallet of the link. Returns once the transaction is signed. Sending the same permit again returns the same input.',
    need: 'sign',
    query: sharedQuery,
    data: { schema: sharedInputShape, description: 'The input.' },
    example: { body: exampleStory.signedInput },
    async handle({ guest, body, noteUse, inPageTurn, requestId }) {
      await requireSigner(guest, { pool: services.pool, signer: body.signer, inPageTurn });
      const { recordId, principalId } = guest;
      const reference = { id: recordId };
      const inTurn = inTurnOfGuests(principalId, inPageTurn);
      const input = await submitInput(
        { ...body, reference, principalId, requestId, isGuests: true, inPageTurn: inTurn },
        services,
      );
      const { signer: wallet, inputId } = body;
      await noteUse({ kind: 'input', wallet, inputId, at: toInstant(input.created_at) });
      return respondSingle({ requestId, dataText: JSON.stringify(toSharedInput(input)) });
    },
  });
}
