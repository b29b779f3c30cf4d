import type { Services } from '../../records/agreements/services.ts';
import { createAcceptedInputs } from '../agreements/acceptedInputs.ts';
import { readState } from '../agreements/readState.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { stateShape } from '../shapes/resources.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

export const stateParts = {
  body: noBody,
  data: { schema: stateShape, description: 'The state as of `blockNumber`.' },
  refusals: [400, 404],
} as const;

export function getState({ pool, reads }: Services): Endpoint {
  // Its result is cached for all reads, so it must not be missing because a replica is behind.
  const acceptedInputs = createAcceptedInputs(pool);
  return defineEndpoint({
    ...stateParts,
    method: 'get',
    path: '/v0/agreements/{id}/state',
    operationId: 'getAgreementState',
    tag: 'Agreement records',
    summary: 'Read the state and accepted inputs of an agreement',
    scope: 'agreements.read',
    mayBeLarge: true,
    params: recordParams,
    query: chainOfReference,
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, requestId, readAfter }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const read = await reads.run(readAfter, (source) =>
        readState(source, acceptedInputs, { reference, principalId }),
      );
      return respondLarge({ requestId, ...read });
    },
  });
}
