import type { z } from '@hono/zod-openapi';
import type { AdmissionServices } from '../admission/createAdmission.ts';
import { inputConsistency } from '../agreements/consistency.ts';
import type { DeployedReference } from '../agreements/deployedRecord.ts';
import { toInputResource } from '../agreements/inputJson.ts';
import { submitInput } from '../agreements/submitInput.ts';
import { viewInput } from '../agreements/viewInput.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import type { RequestAhead } from '../endpoint/endpointDefinition.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { signedInputBody } from '../shapes/inputBody.ts';
import { inputReasons, permitReasons, quotaReasons } from '../shapes/refusalReasons.ts';
import { inputRecordShape } from '../shapes/resources.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

export const submitInputParts = {
  body: signedInputBody,
  refusals: [400, 404, 409, 413, 415, 503],
  reasons: ['unsupported_chain', 'not_deployed', ...quotaReasons, ...inputReasons, ...permitReasons],
} as const;

export function submitInputEndpoint(services: AdmissionServices): Endpoint {
  return defineEndpoint({
    ...submitInputParts,
    method: 'post',
    path: '/v0/agreements/{id}/input',
    operationId: 'submitInput',
    tag: 'Using agreements',
    summary: 'Submit a signed input',
    description:
      'Returns once the transaction is signed. Sending the same permit again returns the same input.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference,
    data: { schema: inputRecordShape, description: 'The input.' },
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      body: exampleStory.signedInput,
    },
    readAhead: ({ body, ...request }) => viewInput({ ...body, ...referTo(request) }, services),
    async handle({ body, requestId, takeAhead, ...request }) {
      const input = await submitInput(
        { ...body, ...referTo(request), requestId, takeView: takeAhead },
        services,
      );
      const dataText = JSON.stringify(toInputResource(input));
      return respondSingle({ requestId, dataText, consistency: inputConsistency(input) });
    },
  });
}

function referTo({
  params,
  query,
  caller,
  inPageTurn,
}: Omit<
  RequestAhead<z.output<typeof recordParams>, z.output<typeof chainOfReference>, unknown>,
  'body'
>): DeployedReference {
  const reference = { id: params.id, chainId: query.chainId };
  return { reference, principalId: caller.principalId, inPageTurn };
}
