import { toInstant } from '../../platform/lists/instant.ts';
import { noteUse } from '../../records/sharing/manageLinks.ts';
import { toSharedInput } from '../agreements/inputJson.ts';
import { submitInput } from '../agreements/submitInput.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { findTurnOfGuests, requireWallet } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { signedInputBody } from '../shapes/inputBody.ts';
import { inputReasons, permitReasons, quotaReasons } from '../shapes/refusalReasons.ts';
import { sharedInputShape, sharedQuery } from '../shapes/sharingShapes.ts';

export function submitSharedInput(services: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/shared/agreement/input',
    operationId: 'submitSharedInput',
    tag: 'Sharing',
    summary: 'Submit an input signed by the participant of a signing link',
    description:
      'Only for the wallet of the link. Returns once the transaction is signed. Sending the same permit again returns the same input.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: signedInputBody,
    data: { schema: sharedInputShape, description: 'The input.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: ['not_deployed', ...quotaReasons, ...inputReasons, ...permitReasons],
    example: { body: exampleStory.signedInput },
    findTurn: findTurnOfGuests(services),
    async handle({ query, body, headers, client, limitGuest, requestId }) {
      const guest = await services.guests.admit({
        agreementId: query.agreementId,
        headers,
        client,
        need: 'sign',
      });
      const { name, linkId, recordId, principalId } = guest;
      await limitGuest({ name, principalId });
      requireWallet(guest, body.signer);
      const reference = { id: recordId };
      const input = await submitInput({ ...body, reference, principalId, requestId }, services);
      const { signer: wallet, inputId } = body;
      const at = toInstant(input.created_at);
      if (linkId !== undefined)
        await noteUse(services.database, { linkId, kind: 'input', wallet, inputId, at });
      return respondSingle({ requestId, dataText: JSON.stringify(toSharedInput(input)) });
    },
  });
}
