import { z } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import { isJsonObject } from '../../protocol/jsonCursor.ts';
import type { Services } from '../../records/agreements/services.ts';
import { checkDeployment } from '../agreements/checkDeployment.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { deploymentMembers, refuseDeploymentBody } from '../shapes/deploymentBody.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { preflightShape } from '../shapes/resources.ts';

import { chainIdShape, notificationTemplateShape } from '../shapes/shapes.ts';
import { describeWarnings } from '../shapes/warnings.ts';
import { analyzeDocument } from '../simulation/analyzeDocument.ts';

/** One body serves both routes: these are a deployment's additional members. */
const ignored = z.unknown().optional().openapi({ description: 'Accepted for convenience and ignored.' });

const bodyShape = z.strictObject({
  ...deploymentMembers,
  notificationTemplate: notificationTemplateShape.optional(),
  displayName: ignored,
  docUri: ignored,
  documentId: ignored,
  signer: ignored,
  deadline: ignored,
  signature: ignored,
});

/** Without a chain, the first chain of the installation. */
const shapeWithDefault = bodyShape.extend({
  chainId: chainIdShape
    .optional()
    .openapi({ description: 'Defaults to the first chain of the environment.' }),
});

/** Under the profile of the hosted service `chainId` may be missing; the answer then names the chain. */
export function validateDeployment(services: Services, profile: ClientProfile): Endpoint {
  const defaultChain = profile === 'shodai' ? services.chains[0]?.chainId : undefined;
  const shape = defaultChain === undefined ? bodyShape : shapeWithDefault;
  const refuse = refuseDeploymentBody(services, shape);
  const complete = (body: unknown) =>
    defaultChain !== undefined && isJsonObject(body) ? { chainId: defaultChain, ...body } : body;
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/validate',
    operationId: 'validateDeployment',
    tag: 'Authoring',
    summary: 'Check a deployment before signing',
    description:
      'Stores and sends nothing. `variables` in the response are the effective values. The signature covers the values that `execution.initialize.data` or an action refers to. `warnings` names the others.',
    scope: 'agreements.write',
    isHeavy: true,
    params: none,
    query: none,
    body: shape,
    refuseBody: (issues, body) => refuse(issues, complete(body)),
    data: { schema: preflightShape, description: 'The values of the deployment, and warnings.' },
    refusals: [400, 413, 415],
    reasons: [
      'unsupported_chain',
      'invalid_agreement',
      'invalid_values',
      'invalid_participants',
      'invalid_notification_template',
    ],
    example: { body: exampleStory.deployment },
    async handle({ body, requestId }) {
      const chainId = body.chainId ?? defaultChain;
      if (chainId === undefined) throw new Error('a deployment without a chain passed validation');
      const checked = await checkDeployment({ ...body, chainId }, services);
      const { templateId, participantVariableKeys, participants, observers, values, contributors, warnings } =
        checked;
      const preflight = {
        chainId: body.chainId === undefined ? chainId : undefined,
        templateId,
        participantVariableKeys,
        participants,
        observers,
        variables: values,
        contributors,
        ...describeWarnings(warnings),
        analysis: await analyzeDocument(body.agreement),
      };
      return respondSingle({ requestId, dataText: JSON.stringify(preflight) });
    },
  });
}
