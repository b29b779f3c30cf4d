import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { createDraft as storeDraft } from '../agreements/drafts.ts';
import { listDeploymentWarnings } from '../agreements/listDeploymentWarnings.ts';
import { readRecord } from '../agreements/readRecord.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import {
  deploymentMembers,
  recordMembers,
  recordRefusals,
  refuseDeploymentBody,
} from '../shapes/deploymentBody.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { recordShape } from '../shapes/resources.ts';
import { addressShape, displayNameShape } from '../shapes/shapes.ts';

const bodyShape = z.strictObject({
  ...deploymentMembers,
  displayName: displayNameShape,
  signer: addressShape.openapi({ description: 'The wallet that will sign and own the agreement.' }),
  ...recordMembers,
});

export function createDraft(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/drafts',
    operationId: 'createDraft',
    tag: 'Deployment',
    summary: 'Prepare a deployment for another person to sign',
    description:
      'Stores the deployment as a record with status `Draft` and sends nothing. A signing link without `participant` lets the owner read and sign it. It is deployed once signed.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: refuseDeploymentBody(services, bodyShape),
    data: { schema: recordShape, description: 'The record.' },
    refusals: [400, 409, 413, 415],
    reasons: recordRefusals,
    example: { body: exampleStory.preparedDeployment },
    async handle({ body, caller, derive, requestId }) {
      const { principalId } = caller;
      const id = await storeDraft({ ...body, principalId, derive }, services);
      const dataText = await readRecord(services.pool, { reference: { id }, principalId });
      const warnings = listDeploymentWarnings(body, services);
      return respondSingle({ requestId, dataText, warnings, consistency: writeConsistency([]) });
    },
  });
}
