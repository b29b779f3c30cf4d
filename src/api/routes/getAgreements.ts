import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { Services } from '../../records/agreements/services.ts';
import { listRecords } from '../agreements/listRecords.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondPage } from '../shapes/envelopes.ts';
import {
  buildInstantParameters,
  pageParameters,
  readPage,
  readRanges,
  sortParameter,
} from '../shapes/listParameters.ts';
import { summaryShape } from '../shapes/resources.ts';
import { chainIdParameter, textParameter } from '../shapes/shapes.ts';

export function getAgreements({ reads }: Services, clientProfile: ClientProfile): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements',
    operationId: 'listAgreements',
    tag: 'Agreement records',
    summary: 'List agreements',
    description:
      'Lists the agreements on all chains, newest first by default. Sorting by name uses code point order; A to Z ignore case.',
    scope: 'agreements.read',
    params: none,
    query: none.extend({
      ...pageParameters,
      state: textParameter.optional(),
      chainId: chainIdParameter.optional(),
      'displayName[startsWith]': textParameter.optional().openapi({
        description: 'A prefix of the name. A to Z ignore case.',
      }),
      ...buildInstantParameters(clientProfile),
      'sort[createdAt]': sortParameter,
      'sort[updatedAt]': sortParameter,
      'sort[displayName]': sortParameter,
    }),
    body: noBody,
    data: { schema: summaryShape, description: 'A page of summaries.', isList: true },
    refusals: [400],
    example: {
      query: {
        chainId: 59141,
        limit: 10,
        'createdAt[gte]': '2026-01-01T00:00:00Z',
        'sort[updatedAt]': 'desc',
      },
    },
    async handle({ query, caller, requestId, readAfter }) {
      const list = {
        principalId: caller.principalId,
        state: query.state,
        chainId: query.chainId,
        namePrefix: query['displayName[startsWith]'],
        ...readPage(query),
        ...readRanges(query),
      };
      const { dataText, ...page } = await reads.run(readAfter, (pool) => listRecords(pool, list));
      return respondPage({ requestId, dataText, pageInfo: { limit: query.limit, ...page } });
    },
  });
}
