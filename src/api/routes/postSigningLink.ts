import { z } from '@hono/zod-openapi';
import { malformed } from '../../platform/errors/serviceError.ts';
import type { WireValues } from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { toLink } from '../../records/sharing/linkResource.ts';
import { createLink } from '../../records/sharing/manageLinks.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { findOwned } from '../agreements/findOwned.ts';
import { heldAddress, readHeldAddresses } from '../agreements/heldAddress.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';
import { newSigningLinkShape } from '../shapes/sharingShapes.ts';

const longestSeconds = 2_592_000;
const defaultSeconds = 604_800;
const maxName = 256;
const maxNote = 500;

const bodyShape = z.strictObject({
  may: z.enum(['read', 'sign']),
  participant: z.string().min(1).max(maxName).optional().openapi({
    description:
      'The address variable whose wallet signs. Required if the link allows signing, except for a draft, which its owner signs.',
  }),
  expiresInSeconds: z.int().min(1).max(longestSeconds).default(defaultSeconds),
  note: z
    .string()
    .max(maxNote)
    .optional()
    .openapi({ description: 'A note for the principal. Guests do not see it.' }),
});

export function createSigningLink({ pool, database, limits, quotas, publicBaseUrl }: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/{id}/links',
    operationId: 'createSigningLink',
    tag: 'Sharing',
    summary: 'Create a signing link to an agreement',
    description:
      'Anyone with the link can read this one agreement: its document, state and inputs. With `sign`, the wallet of the participant can also submit inputs.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference,
    body: bodyShape,
    data: { schema: newSigningLinkShape, description: 'The link and its URL.' },
    refusals: [400, 404, 413, 415],
    reasons: ['link_limit_reached', 'quota_exceeded'],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      body: { may: 'sign', participant: 'rider', expiresInSeconds: 86_400, note: 'Sent by mail' },
    },
    async handle({ body, params, query, caller, derive, requestId, inPageTurn }) {
      const { principalId, keyId } = caller;
      await quotas.check(principalId, 'link');
      const reference = { id: params.id, chainId: query.chainId };
      const record = await findOwned(pool, { reference, principalId });
      await requireSigner({ ...record, ...body }, (variable) =>
        inPageTurn(() => readHeldAddresses(pool, { recordId: record.id, variables: [variable] })),
      );
      const wanted = { ...body, principalId, keyId, recordId: record.id, derive };
      const { link, secret } = await createLink(database, wanted, limits.signingLinks);
      quotas.note(principalId, { answerBytes: measureStored([link]) });
      const url = `${publicBaseUrl}/console/sign#${secret}`;
      return respondSingle({
        requestId,
        dataText: JSON.stringify({ ...toLink(link, []), url }),
        consistency: writeConsistency([]),
      });
    },
  });
}

/** @throws MalformedError if nobody could sign by the link. */
async function requireSigner(
  { awaitsOwner, may, participant }: z.output<typeof bodyShape> & { awaitsOwner: boolean },
  readHeld: (variable: string) => Promise<WireValues>,
): Promise<void> {
  const refuse = (message: string) => malformed('body', [{ path: 'participant', message }]);
  if (participant === undefined) {
    if (may === 'sign' && !awaitsOwner) throw refuse('is required for signing');
    return;
  }
  if (heldAddress(await readHeld(participant), participant) === undefined)
    throw refuse('must name a variable that holds a wallet');
}
