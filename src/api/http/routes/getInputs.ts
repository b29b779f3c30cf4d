import { z } from '@hono/zod-openapi';
import { listInputs } from '../../agreements/listInputs.ts';
import type { Services } from '../../agreements/services.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint.ts';
import { respondPage } from '../envelopes.ts';
import { instantParameters, pageParameters, readPage, readRanges, sortParameter } from '../listParameters.ts';
import { inputRecordShape } from '../resources.ts';
import { chainOfReference, recordParams, textParameter } from '../shapes.ts';

export function getInputs({ reads }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/inputs',
    operationId: 'listAgreementInputs',
    tag: 'Agreement records',
    summary: 'List the inputs of an agreement',
    description:
      'Holds also inputs that reached the contract without this service. The newest first by default.',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference.extend({
      ...pageParameters,
      userId: textParameter.optional(),
      inputId: textParameter.optional(),
      status: z.enum(['PENDING', 'MINED', 'FAILED']).optional(),
      ...instantParameters,
      'sort[createdAt]': sortParameter,
      'sort[updatedAt]': sortParameter,
    }),
    body: noBody,
    data: { schema: inputRecordShape, description: 'A page of inputs.', isList: true },
    refusals: [400, 404],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      query: { limit: 10, 'sort[createdAt]': 'asc' },
    },
    async handle({ params, query, caller, requestId, readAfter }) {
      const { chainId, userId, inputId, status } = query;
      const list = {
        reference: { id: params.id, chainId },
        principalId: caller.principalId,
        userId,
        inputId,
        status,
        ...readPage(query),
        ...readRanges(query),
      };
      const { dataText, ...page } = await reads.run(readAfter, (pool) => listInputs(pool, list));
      return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...page } });
    },
  });
}
