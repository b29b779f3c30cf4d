import { noteUse } from '../../records/sharing/manageLinks.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { readSharedRecord } from '../guests/readSharedRecord.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { sharedQuery, sharedRecordShape } from '../shapes/sharingShapes.ts';

export function getSharedAgreement({ pool, database, guests }: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/shared/agreement',
    operationId: 'getSharedAgreement',
    tag: 'Sharing',
    summary: 'Read the agreement of a signing link',
    description:
      'Also returns what the link allows. Uses are recorded and visible to the principal; reads within a minute are one use.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: noBody,
    data: { schema: sharedRecordShape, description: 'The agreement as shown to guests.' },
    refusals: [400, 404],
    example: {},
    async handle({ query, headers, client, limitGuest, inPageTurn, requestId }) {
      const guest = await guests.admit({ agreementId: query.agreementId, headers, client, need: 'read' });
      await limitGuest(guest);
      return inPageTurn(turnOfGuests(guest.principalId), async () => {
        const dataText = await readSharedRecord(pool, guest);
        if (guest.linkId !== undefined) await noteUse(database, { linkId: guest.linkId, kind: 'opened' });
        return respondLarge({ requestId, dataText });
      });
    },
  });
}
