import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { checkNotificationTemplate } from '../../records/rules/checkNotificationTemplate.ts';
import { readRecordConsistency } from '../agreements/consistency.ts';
import { deployAgreement } from '../agreements/deployAgreement.ts';
import { readRecord } from '../agreements/readRecord.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { deploymentMembers, refuseDeploymentBody } from '../shapes/deploymentBody.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { recordShape } from '../shapes/resources.ts';
import {
  addressShape,
  deadlineShape,
  displayNameShape,
  docUriShape,
  documentIdShape,
  notificationTemplateShape,
  participantAccessShape,
  signatureShape,
} from '../shapes/shapes.ts';

const bodyShape = z.strictObject({
  ...deploymentMembers,
  displayName: displayNameShape,
  signer: addressShape,
  deadline: deadlineShape,
  signature: signatureShape,
  docUri: docUriShape.optional(),
  documentId: documentIdShape.optional(),
  notificationTemplate: notificationTemplateShape.optional(),
  participantAccess: participantAccessShape.optional(),
});

export function deployWithPermit(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/deploy-with-permit',
    operationId: 'deployWithPermit',
    tag: 'Deployment',
    summary: 'Deploy an agreement that its owner has signed for',
    description:
      'Answers with the deployed record, or with the Draft where the deployment takes longer. The same permit sent again leads to the same record.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: refuseDeploymentBody(services, bodyShape),
    data: { schema: recordShape, description: 'The record.' },
    refusals: [400, 409, 413, 415, 503],
    reasons: [
      'unsupported_chain',
      'quota_exceeded',
      'storage_exceeded',
      'invalid_agreement',
      'invalid_values',
      'invalid_participants',
      'invalid_notification_template',
      'document_id_taken',
      'permit_expired',
      'deadline_too_far',
      'stale_nonce',
      'future_nonce',
      'nonce_in_flight',
      'signature_mismatch',
      'action_reverted',
      'relayer_unfunded',
    ],
    example: { body: exampleStory.signedDeployment },
    async handle({ body, caller, requestId }) {
      const { principalId } = caller;
      const id = await deployAgreement({ ...body, principalId, requestId }, services);
      const dataText = await readRecord(services.pool, { reference: { id }, principalId });
      const consistency = await readRecordConsistency(services.pool, id);
      const { warnings } = checkNotificationTemplate(body.notificationTemplate ?? { rules: [] }, {
        agreement: body.agreement,
        isMailConfigured: services.isMailConfigured,
        limits: services.limits.rules,
      });
      return respondSingle({ requestId, dataText, consistency, warnings });
    },
  });
}
