import { z } from '@hono/zod-openapi';
import type { AdmissionServices } from '../admission/admissionServices.ts';
import { prepareInput } from '../agreements/prepareInput.ts';
import { writeSignable } from '../agreements/typedDataJson.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { unsignedInputBody } from '../shapes/inputBody.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';
import { signableInputShape } from '../shapes/signableShape.ts';

const pendingShape = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')
  .openapi({ description: 'Whether permits on their way are counted in nonce.' });

export function inputTypedDataEndpoint(services: AdmissionServices): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/{id}/input-typed-data',
    operationId: 'makeInputTypedData',
    tag: 'Using agreements',
    summary: 'Make the typed data that the issuer of an input signs',
    description:
      'Stores and sends nothing. Send the input with the same values and with the deadline of the answer. Without a deadline it is an hour ahead. Inputs on their way count as mined, so that several can be signed at once; what is asked for again with the deadline of one of them is that one.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference.extend({ pending: pendingShape }),
    body: unsignedInputBody,
    data: { schema: signableInputShape, description: 'The typed data, and the verdict on it.' },
    refusals: [400, 404, 409, 413, 415, 503],
    reasons: [
      'not_deployed',
      'unknown_input',
      'state_not_accepting',
      'no_transition',
      'schema_mismatch',
      'issuer_not_allowed',
      'permit_expired',
      'deadline_too_far',
    ],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      body: exampleStory.unsignedInput,
    },
    async handle({ body, params, query, caller, requestId }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const signable = await prepareInput(
        { ...body, reference, principalId, isPending: query.pending },
        services,
      );
      return respondSingle({ requestId, dataText: writeSignable(signable) });
    },
  });
}
