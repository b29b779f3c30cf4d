import { z } from '@hono/zod-openapi';
import type { AdmissionServices } from '../admission/createAdmission.ts';
import { prepareInput } from '../agreements/prepareInput.ts';
import { writeSignable } from '../agreements/typedDataJson.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { unsignedInputBody } from '../shapes/inputBody.ts';
import { deadlineReasons, inputReasons } from '../shapes/refusalReasons.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';
import { signableInputShape } from '../shapes/signableShape.ts';

const pendingShape = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')
  .openapi({ description: 'Whether `nonce` counts permits that are submitted but not mined yet.' });

export const inputTypedDataParts = {
  body: unsignedInputBody,
  data: { schema: signableInputShape, description: 'The typed data and the verdict.' },
  refusals: [400, 404, 409, 413, 415, 503],
  reasons: ['unsupported_chain', 'not_deployed', ...inputReasons, ...deadlineReasons],
} as const;

export function inputTypedDataEndpoint(services: AdmissionServices): Endpoint {
  return defineEndpoint({
    ...inputTypedDataParts,
    method: 'post',
    path: '/v0/agreements/{id}/input-typed-data',
    operationId: 'makeInputTypedData',
    tag: 'Using agreements',
    summary: 'Build the typed data to sign for an input',
    description:
      'Stores and sends nothing. Submit the input with the same values and the `deadline` from the response. `deadline` defaults to one hour from now. Pending inputs count as mined, so several inputs can be signed in a row. A repeat with the `deadline` of a pending input returns the typed data of that input.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference.extend({ pending: pendingShape }),
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      body: exampleStory.unsignedInput,
    },
    async handle({ body, params, query, caller, requestId, inPageTurn }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const signable = await prepareInput(
        { ...body, reference, principalId, inPageTurn, isPending: query.pending },
        services,
      );
      return respondSingle({ requestId, dataText: writeSignable(signable) });
    },
  });
}
