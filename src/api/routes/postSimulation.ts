import { z } from '@hono/zod-openapi';
import { isJsonObject } from '../../protocol/jsonCursor.ts';
import type { Services } from '../../records/agreements/services.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { deploymentMembers, refuseDeploymentBody } from '../shapes/deploymentBody.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { chainIdShape, notificationTemplateShape } from '../shapes/shapes.ts';
import { simulationShape, stepsShape } from '../shapes/simulationShapes.ts';
import { analyzeDocument } from '../simulation/analyzeDocument.ts';
import { readStart, readSteps } from '../simulation/readSteps.ts';
import { simulateDeployment } from '../simulation/simulateDeployment.ts';

const bodyShape = z.strictObject({
  ...deploymentMembers,
  chainId: chainIdShape
    .optional()
    .openapi({ description: 'Defaults to the first chain of the environment.' }),
  notificationTemplate: notificationTemplateShape.optional(),
  steps: stepsShape,
});

export function simulateAgreementEndpoint(services: Services): Endpoint {
  const [firstChain] = services.chains;
  const refuse = refuseDeploymentBody(services, bodyShape);
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/simulate',
    operationId: 'simulateAgreement',
    tag: 'Authoring',
    summary: 'Simulate a deployment and inputs without a chain',
    description:
      'Returns for each step whether it would be accepted, or why not, what it would change and which event would follow. A refused step changes nothing; the remaining steps still run. Asks no node. Stores and sends nothing.',
    scope: 'agreements.write',
    isHeavy: true,
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: (issues, body) =>
      refuse(issues, isJsonObject(body) ? { chainId: firstChain?.chainId, ...body } : body),
    data: { schema: simulationShape, description: 'The deployment and all steps, in order.' },
    refusals: [400, 413, 415],
    reasons: [
      'unsupported_chain',
      'invalid_agreement',
      'invalid_values',
      'invalid_participants',
      'invalid_notification_template',
      'action_reverted',
    ],
    example: { body: { ...exampleStory.deployment, steps: exampleStory.steps } },
    async handle({ body, requestId }) {
      const steps = readSteps(body.steps);
      const chainId = body.chainId ?? firstChain?.chainId ?? 0;
      const request = { ...body, chainId, steps, atMs: readStart(steps) };
      const simulation = await simulateDeployment(request, services);
      const analysis = await analyzeDocument(body.agreement);
      return respondSingle({ requestId, dataText: JSON.stringify({ ...simulation, analysis }) });
    },
  });
}
