import type { Services } from '../../records/agreements/services.ts';
import { readRecord } from '../agreements/readRecord.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { recordShape } from '../shapes/resources.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

export function getAgreement({ reads }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}',
    operationId: 'getAgreement',
    tag: 'Agreement records',
    summary: 'Read an agreement',
    scope: 'agreements.read',
    mayBeLarge: true,
    params: recordParams,
    query: chainOfReference,
    body: noBody,
    data: { schema: recordShape, description: 'The record.' },
    refusals: [400, 404],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, requestId, readAfter }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const dataText = await reads.run(readAfter, (pool) => readRecord(pool, { reference, principalId }));
      return respondLarge({ requestId, dataText });
    },
  });
}
