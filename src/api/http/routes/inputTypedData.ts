import { z } from '@hono/zod-openapi';
import { prepareInput } from '../../agreements/prepareInput.ts';
import type { Services } from '../../agreements/services.ts';
import { writeSignable } from '../../agreements/typedDataJson.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { respondSingle } from '../envelopes.ts';
import { exampleStory } from '../exampleStory.ts';
import { addressShape, chainOfReference, deadlineShape, recordParams, valuesShape } from '../shapes.ts';
import { signableShape } from '../signableShape.ts';

const bodyShape = z.strictObject({
  inputId: z.string(),
  values: valuesShape,
  signer: addressShape,
  deadline: deadlineShape.optional(),
});

export function inputTypedDataEndpoint(services: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/{id}/input-typed-data',
    operationId: 'makeInputTypedData',
    tag: 'Using agreements',
    summary: 'Make the typed data that the issuer of an input signs',
    description:
      'Stores and sends nothing. Send the input with the same values and with the deadline of the answer. Without a deadline it is an hour ahead.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference,
    body: bodyShape,
    data: { schema: signableShape, description: 'The typed data, and the verdict on it.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: [
      'not_deployed',
      'unknown_input',
      'state_not_accepting',
      'no_transition',
      'schema_mismatch',
      'issuer_not_allowed',
      'permit_expired',
      'nonce_in_flight',
    ],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      body: exampleStory.unsignedInput,
    },
    async handle({ body, params, query, caller, requestId }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const signable = await prepareInput({ ...body, reference, principalId }, services);
      return respondSingle({ requestId, dataText: writeSignable(signable) });
    },
  });
}
