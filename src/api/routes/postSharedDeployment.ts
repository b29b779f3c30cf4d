import { z } from '@hono/zod-openapi';
import { awaitDeployment, storeDeployment } from '../agreements/deployAgreement.ts';
import { readDraft } from '../agreements/drafts.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import { requireSigner, requireWallet } from '../guests/guestAuthenticator.ts';
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
  return defineGuestEndpoint(services, {
    method: 'post',
    path: '/v0/shared/agreement/deploy-with-permit',
    operationId: 'deploySharedAgreement',
    summary: 'Deploy a draft with a permit of its owner',
    description:
      'Only for the wallet that the draft names as its owner. Returns the deployed agreement, or the `Draft` if the deployment takes longer.',
    need: 'sign',
    query: sharedQuery,
    body: bodyShape,
    data: { schema: sharedRecordShape, description: 'The agreement as shown to guests.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: ['unsupported_chain', 'draft_signed', ...quotaReasons, ...permitReasons],
    example: { body: exampleStory.signedDraft },
    async handle({ guest, body, turn, noteUse, inHeavyTurn, inPageTurn, requestId }) {
      await requireSigner(guest, { pool: services.pool, signer: body.signer, inPageTurn });
      // The body is small, but the draft may be as large as any document.
      const { id, isNew } = await inHeavyTurn(turn, async () => {
        const draft = await readDraft(services, guest.recordId);
        requireWallet({ wallet: draft.signer }, body.signer);
        return storeDeployment({ ...draft, ...body, requestId }, services);
      });
      await awaitDeployment({ id, owner: turn }, services);
      await noteUse({ kind: 'deployment', wallet: body.signer });
      const read = async () =>
        respondLarge({ requestId, dataText: await readSharedRecord(services.pool, guest) });
      return inPageTurn(turn, read, { isOwed: isNew });
    },
  });
}
