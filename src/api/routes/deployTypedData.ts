import { z } from '@hono/zod-openapi';
import { warnOfUnsignedValues } from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { prepareDeployment } from '../agreements/prepareDeployment.ts';
import { writeSignable } from '../agreements/typedDataJson.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { deploymentMembers, refuseDeploymentBody } from '../shapes/deploymentBody.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { addressShape, deadlineShape, docUriShape, documentIdShape } from '../shapes/shapes.ts';
import { signableDeploymentShape } from '../shapes/signableShape.ts';

const bodyShape = z.strictObject({
  ...deploymentMembers,
  signer: addressShape,
  deadline: deadlineShape.optional(),
  docUri: docUriShape.optional(),
  documentId: documentIdShape.optional(),
});

export function deployTypedDataEndpoint(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/deploy-typed-data',
    operationId: 'makeDeployTypedData',
    tag: 'Deployment',
    summary: 'Build the typed data to sign for a deployment',
    description:
      'Takes the body of the preflight plus `signer`. Stores and sends nothing. Use `deadline`, `docUri` and `documentId` from the response in `deploy-with-permit`. `deadline` defaults to one hour from now. `docUri` defaults to the URI of the document hosted by this service. `meta.warnings` names the values that the signature does not cover.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: bodyShape,
    refuseBody: refuseDeploymentBody(services, bodyShape),
    data: { schema: signableDeploymentShape, description: 'The typed data and the verdict.' },
    refusals: [400, 409, 413, 415, 503],
    reasons: [
      'unsupported_chain',
      'invalid_agreement',
      'invalid_values',
      'invalid_participants',
      'document_id_taken',
      'permit_expired',
      'deadline_too_far',
      'nonce_in_flight',
    ],
    example: { body: exampleStory.unsignedDeployment },
    async handle({ body, caller, requestId }) {
      const signable = await prepareDeployment({ ...body, principalId: caller.principalId }, services);
      const warnings = warnOfUnsignedValues(body);
      return respondSingle({ requestId, dataText: writeSignable(signable), warnings });
    },
  });
}
