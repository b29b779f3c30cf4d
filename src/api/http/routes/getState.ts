import { createAcceptedInputs } from '../../agreements/acceptedInputs.ts';
import { readState } from '../../agreements/readState.ts';
import type { Services } from '../../agreements/services.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint.ts';
import { respondSingle } from '../envelopes.ts';
import { stateShape } from '../resources.ts';
import { chainOfReference, recordParams } from '../shapes.ts';

export function getState({ pool }: Services): Endpoint {
  const acceptedInputs = createAcceptedInputs(pool);
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/state',
    operationId: 'getAgreementState',
    tag: 'Agreement records',
    summary: 'Read the state of an agreement and what it accepts',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference,
    body: noBody,
    data: { schema: stateShape, description: 'The state at the block that is named with it.' },
    refusals: [400, 404],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, requestId }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const dataText = await readState(pool, acceptedInputs, { reference, principalId });
      return respondSingle({ requestId, dataText });
    },
  });
}
