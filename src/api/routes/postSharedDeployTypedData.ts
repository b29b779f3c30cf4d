import { z } from '@hono/zod-openapi';
import { warnOfUnsignedValues } from '../../protocol/index.ts';
import { readDraft, requireUnsigned } from '../agreements/drafts.ts';
import { prepareDeployment } from '../agreements/prepareDeployment.ts';
import { writeSignable } from '../agreements/typedDataJson.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import { requireSigner, requireWallet } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { deadlineReasons } from '../shapes/refusalReasons.ts';
import { addressShape, deadlineShape } from '../shapes/shapes.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { signableDeploymentShape } from '../shapes/signableShape.ts';

const bodyShape = z.strictObject({ signer: addressShape, deadline: deadlineShape.optional() });

export function makeSharedDeployTypedData(services: GuestServices): Endpoint {
  return defineGuestEndpoint(services, {
    method: 'post',
    path: '/v0/shared/agreement/deploy-typed-data',
    operationId: 'makeSharedDeployTypedData',
    summary: 'Build the typed data to sign for a draft',
    description:
      'Only for the wallet that the draft names as its owner. All other values are as prepared. `meta.warnings` names the values that the signature does not cover.',
    need: 'sign',
    query: sharedQuery,
    body: bodyShape,
    data: { schema: signableDeploymentShape, description: 'The typed data and the verdict.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: ['unsupported_chain', 'draft_signed', ...deadlineReasons, 'nonce_in_flight'],
    example: { body: exampleStory.ownerOfDraft },
    async handle({ guest, body, turn, inHeavyTurn, inPageTurn, requestId }) {
      await requireSigner(guest, { pool: services.pool, signer: body.signer, inPageTurn });
      // The body is small, but the draft may be as large as any document.
      return inHeavyTurn(turn, async () => {
        const draft = await readDraft(services, guest.recordId);
        requireWallet({ wallet: draft.signer }, body.signer);
        requireUnsigned(draft);
        const signable = await prepareDeployment({ ...draft, ...body }, services);
        const warnings = warnOfUnsignedValues(draft);
        return respondSingle({ requestId, dataText: writeSignable(signable), warnings });
      });
    },
  });
}
