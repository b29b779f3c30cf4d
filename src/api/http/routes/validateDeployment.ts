import { z } from '@hono/zod-openapi';
import { checkDeployment } from '../../agreements/checkDeployment.ts';
import type { Services } from '../../agreements/services.ts';
import { deploymentMembers, refuseDeploymentBody } from '../deploymentBody.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint.ts';
import { respondSingle } from '../envelopes.ts';
import { exampleStory } from '../exampleStory.ts';
import { preflightShape } from '../resources.ts';
import { notificationTemplateShape } from '../shapes.ts';

const bodyShape = z.strictObject({
  ...deploymentMembers,
  notificationTemplate: notificationTemplateShape.optional(),
});

export function validateDeployment(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/validate',
    operationId: 'validateDeployment',
    tag: 'Authoring',
    summary: 'Check a deployment before it is signed',
    description: 'Stores and sends nothing. The variables of the answer are the values to sign.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: refuseDeploymentBody(services, bodyShape),
    data: { schema: preflightShape, description: 'What the deployment would consist of.' },
    refusals: [400, 413, 415],
    reasons: [
      'unsupported_chain',
      'invalid_agreement',
      'invalid_values',
      'invalid_participants',
      'invalid_notification_template',
    ],
    example: { body: exampleStory.deployment },
    handle({ body, requestId }) {
      const checked = checkDeployment(body, services);
      const { templateId, participantVariableKeys, participants, observers, values, contributors, warnings } =
        checked;
      const preflight = {
        templateId,
        participantVariableKeys,
        participants,
        observers,
        variables: values,
        contributors,
        warnings,
      };
      return respondSingle({ requestId, dataText: JSON.stringify(preflight) });
    },
  });
}
