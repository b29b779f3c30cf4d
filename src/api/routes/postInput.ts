import type { AdmissionServices } from '../admission/createAdmission.ts';
import { inputConsistency } from '../agreements/consistency.ts';
import { findDeployed } from '../agreements/deployedRecord.ts';
import { toInputResource } from '../agreements/inputJson.ts';
import { submitInput } from '../agreements/submitInput.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { signedInputBody } from '../shapes/inputBody.ts';
import { inputReasons, permitReasons, quotaReasons } from '../shapes/refusalReasons.ts';
import { inputRecordShape } from '../shapes/resources.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

export const submitInputParts = {
  body: signedInputBody,
  refusals: [400, 404, 409, 413, 415, 503],
  reasons: ['not_deployed', ...quotaReasons, ...inputReasons, ...permitReasons],
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
    readAhead: ({ params, query, caller }) =>
      findDeployed(services.pool, {
        reference: { id: params.id, chainId: query.chainId },
        principalId: caller.principalId,
      }),
    async handle({ body, params, query, caller, requestId, inPageTurn, ahead }) {
      const reference = { id: params.id, chainId: query.chainId };
      const input = await submitInput(
        { ...body, reference, principalId: caller.principalId, requestId, inPageTurn, found: ahead },
        services,
      );
      const dataText = JSON.stringify(toInputResource(input));
      return respondSingle({ requestId, dataText, consistency: inputConsistency(input) });
    },
  });
}
