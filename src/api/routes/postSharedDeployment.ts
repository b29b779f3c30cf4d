import { z } from '@hono/zod-openapi';
import { noteUse } from '../../records/sharing/manageLinks.ts';
import { awaitDeployment, storeDeployment } from '../agreements/deployAgreement.ts';
import { readDraft } from '../agreements/drafts.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import {
  findTurnOfGuests,
  requireSigner,
  requireWallet,
  turnOfGuests,
} from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { readSharedRecord } from '../guests/readSharedRecord.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { permitReasons, quotaReasons } from '../shapes/refusalReasons.ts';
import { addressShape, deadlineShape, signatureShape } from '../shapes/shapes.ts';
import { sharedQuery, sharedRecordShape } from '../shapes/sharingShapes.ts';

const bodyShape = z.strictObject({
  signer: addressShape,
  deadline: deadlineShape,
  signature: signatureShape,
});

export function deployShared(services: GuestServices): Endpoint {
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/shared/agreement/deploy-with-permit',
    operationId: 'deploySharedAgreement',
    tag: 'Sharing',
    summary: 'Deploy a draft with a permit of its owner',
    description:
      'Only for the wallet that the draft names as its owner. Returns the deployed agreement, or the `Draft` if the deployment takes longer.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: bodyShape,
    data: { schema: sharedRecordShape, description: 'The agreement as shown to guests.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: ['draft_signed', ...quotaReasons, ...permitReasons],
    example: { body: exampleStory.signedDraft },
    findTurn: findTurnOfGuests(services),
    async handle({ query, body, headers, client, limitGuest, inHeavyTurn, inPageTurn, requestId }) {
      const { agreementId } = query;
      const guest = await services.guests.admit({ agreementId, headers, client, need: 'sign' });
      await limitGuest(guest);
      await requireSigner(guest, { pool: services.pool, signer: body.signer, inPageTurn });
      const turn = turnOfGuests(guest.principalId);
      // The body is small, but the draft may be as large as any document.
      const id = await inHeavyTurn(turn, async () => {
        const draft = await readDraft(services, guest.recordId);
        requireWallet({ wallet: draft.signer }, body.signer);
        return storeDeployment({ ...draft, ...body, requestId }, services);
      });
      await awaitDeployment({ id, owner: turn }, services);
      const { linkId } = guest;
      if (linkId !== undefined)
        await noteUse(services.database, { linkId, kind: 'deployment', wallet: body.signer });
      return inPageTurn(turn, async () =>
        respondLarge({ requestId, dataText: await readSharedRecord(services.pool, guest) }),
      );
    },
  });
}
