import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { awaitPoint } from '../agreements/awaitConsistency.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { waitingOwner } from '../agreements/deployAgreement.ts';
import { importAgreement } from '../agreements/importAgreement.ts';
import { readRecord } from '../agreements/readRecord.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { deploymentMembers, refuseDeploymentBody } from '../shapes/deploymentBody.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { recordShape } from '../shapes/resources.ts';
import { addressShape, displayNameShape } from '../shapes/shapes.ts';

const { agreement, chainId, participants, observers } = deploymentMembers;
const bodyShape = z.strictObject({
  agreement,
  chainId,
  address: addressShape,
  displayName: displayNameShape,
  participants,
  observers,
});

export function importAgreementEndpoint(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/import',
    operationId: 'importAgreement',
    tag: 'Deployment',
    summary: 'Import an agreement deployed elsewhere',
    description:
      'Requires the exact document that the contract was created with. The record includes the earlier history, but no webhooks are sent for it. Values set at creation are read from the chain; `participants` supplies wallets for other variables. If a `Draft` of this principal is becoming this agreement, that record is returned.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: refuseDeploymentBody(services, bodyShape),
    data: { schema: recordShape, description: 'The record.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: [
      'unsupported_chain',
      'storage_exceeded',
      'invalid_agreement',
      'invalid_participants',
      'already_managed',
      'unknown_agreement',
      'document_mismatch',
    ],
    example: { body: exampleStory.adoption },
    async handle({ body, caller, requestId, inPageTurn }) {
      const { principalId } = caller;
      const { id, isNew, point } = await importAgreement({ ...body, principalId }, services);
      return async () => {
        const timeoutMs = services.limits.deployWaitMs;
        await awaitPoint({ point, principalId, timeoutMs, owner: waitingOwner(principalId) }, services);
        const read = async () => {
          const dataText = await readRecord(services.pool, { reference: { id }, principalId });
          return respondLarge({ requestId, dataText, consistency: writeConsistency([point]) });
        };
        return inPageTurn(read, { isOwed: isNew });
      };
    },
  });
}
