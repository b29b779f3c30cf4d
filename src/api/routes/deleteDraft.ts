import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { deleteDraft } from '../agreements/drafts.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';

const params = z.strictObject({
  id: z.string().openapi({ example: 'agr_0123456789abcdef0123456789abcdef' }),
});
const withdrawnShape = z.object({ id: z.string() }).openapi('WithdrawnDraft');

export function withdrawDraft(services: Services): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: '/v0/agreements/drafts/{id}',
    operationId: 'withdrawDraft',
    tag: 'Deployment',
    summary: 'Withdraw a draft that is not signed yet',
    description: 'Also ends its signing links.',
    scope: 'agreements.write',
    params,
    query: none,
    body: noBody,
    data: { schema: withdrawnShape, description: 'The id of the deleted record.' },
    refusals: [404, 409],
    reasons: ['draft_signed'],
    example: { after: [{ operationId: 'createDraft', params: { id: '/data/id' } }] },
    async handle({ params: { id }, caller, requestId }) {
      await deleteDraft({ id, principalId: caller.principalId }, services);
      return respondSingle({
        requestId,
        dataText: JSON.stringify({ id }),
        consistency: writeConsistency([]),
      });
    },
  });
}
