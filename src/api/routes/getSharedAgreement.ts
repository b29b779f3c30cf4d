import { type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { readSharedRecord } from '../guests/readSharedRecord.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { sharedQuery, sharedRecordShape } from '../shapes/sharingShapes.ts';

export function getSharedAgreement(services: GuestServices): Endpoint {
  return defineGuestEndpoint(services, {
    method: 'get',
    path: '/v0/shared/agreement',
    operationId: 'getSharedAgreement',
    summary: 'Read the agreement of a signing link',
    description:
      'Also returns what the link allows. Uses are recorded and visible to the principal; reads within a minute are one use.',
    need: 'read',
    query: sharedQuery,
    body: noBody,
    data: { schema: sharedRecordShape, description: 'The agreement as shown to guests.' },
    refusals: [400, 404],
    example: {},
    handle: ({ guest, turn, inPageTurn, noteUse, requestId }) =>
      inPageTurn(turn, async () => {
        const dataText = await readSharedRecord(services.pool, guest);
        await noteUse({ kind: 'opened' });
        return respondLarge({ requestId, dataText });
      }),
  });
}
