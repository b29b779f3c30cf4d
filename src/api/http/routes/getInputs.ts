import { parseCursor } from '../../agreements/cursor.ts';
import { listInputs } from '../../agreements/listInputs.ts';
import type { Services } from '../../agreements/services.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint.ts';
import { respondPage } from '../envelopes.ts';
import { inputRecordShape } from '../resources.ts';
import { chainOfReference, pageParameters, recordParams } from '../shapes.ts';

export function getInputs({ pool }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/inputs',
    tag: 'Agreement records',
    summary: 'List the inputs of an agreement, the newest first',
    description: 'Holds also inputs that reached the contract without this service.',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference.extend(pageParameters),
    body: noBody,
    data: { schema: inputRecordShape, description: 'A page of inputs.', isList: true },
    refusals: [400, 404],
    async handle({ params, query, caller, requestId }) {
      const { chainId, limit, cursor } = query;
      const { dataText, nextCursor } = await listInputs(pool, {
        reference: { id: params.id, chainId },
        principalId: caller.principalId,
        limit,
        after: cursor === undefined ? undefined : parseCursor(cursor),
      });
      return respondPage({ requestId, dataText, pageInfo: { limit, nextCursor } });
    },
  });
}
