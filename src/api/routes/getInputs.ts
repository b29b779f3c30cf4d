import { z } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { Services } from '../../records/agreements/services.ts';
import { listInputs } from '../agreements/listInputs.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import {
  buildInstantParameters,
  pageParameters,
  readPage,
  readRanges,
  sortParameter,
} from '../shapes/listParameters.ts';
import { inputRecordShape } from '../shapes/resources.ts';
import { chainOfReference, recordParams, textParameter } from '../shapes/shapes.ts';

export function getInputs({ reads }: Services, clientProfile: ClientProfile): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/inputs',
    operationId: 'listAgreementInputs',
    tag: 'Agreement records',
    summary: 'List the inputs of an agreement',
    description:
      'Includes inputs sent to the contract without this service. Newest first by default. A page holds at most 2 MiB of payloads and values and may have fewer inputs than `limit`.',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference.extend({
      ...pageParameters,
      userId: textParameter.optional(),
      inputId: textParameter.optional(),
      status: z.enum(['PENDING', 'MINED', 'FAILED']).optional(),
      ...buildInstantParameters(clientProfile),
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
