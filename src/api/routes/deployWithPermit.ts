import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { readRecordConsistency } from '../agreements/consistency.ts';
import { awaitDeployment, storeDeployment } from '../agreements/deployAgreement.ts';
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
import { respondLarge } from '../shapes/envelopes.ts';
import { permitReasons } from '../shapes/refusalReasons.ts';
import { recordShape } from '../shapes/resources.ts';
import { addressShape, deadlineShape, displayNameShape, signatureShape } from '../shapes/shapes.ts';

const bodyShape = z.strictObject({
  ...deploymentMembers,
  displayName: displayNameShape,
  signer: addressShape,
  deadline: deadlineShape,
  signature: signatureShape,
  ...recordMembers,
});

export function deployWithPermit(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/deploy-with-permit',
    operationId: 'deployWithPermit',
    tag: 'Deployment',
    summary: 'Deploy an agreement with a permit of its owner',
    description:
      'Returns the deployed record, or the `Draft` record if the deployment takes longer. Sending the same permit again returns the same record.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: refuseDeploymentBody(services, bodyShape),
    data: { schema: recordShape, description: 'The record.' },
    refusals: [400, 409, 413, 415, 503],
    reasons: [...recordRefusals, ...permitReasons],
    example: { body: exampleStory.signedDeployment },
    async handle({ body, caller, requestId, inPageTurn }) {
      const { principalId } = caller;
      const { id, isNew } = await storeDeployment({ ...body, principalId, requestId }, services);
      const warnings = listDeploymentWarnings(body, services);
      return async () => {
        await awaitDeployment({ id, owner: principalId }, services);
        const read = async () => {
          const dataText = await readRecord(services.pool, { reference: { id }, principalId });
          const consistency = await readRecordConsistency(services.pool, id);
          return respondLarge({ requestId, dataText, consistency, warnings });
        };
        return inPageTurn(read, { isOwed: isNew });
      };
    },
  });
}
