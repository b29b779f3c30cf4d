import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { openRecord } from '../agreements/openRecord.ts';
import { readRecord } from '../agreements/readRecord.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { respondLarge } from '../shapes/envelopes.ts';
import { recordShape } from '../shapes/resources.ts';
import { chainOfReference, participantAccessShape, recordParams } from '../shapes/shapes.ts';

export function updateAgreement(services: Services): Endpoint {
  return defineEndpoint({
    method: 'patch',
    path: '/v0/agreements/{id}',
    operationId: 'updateAgreement',
    tag: 'Sharing',
    summary: 'Set the access of participant wallets',
    description: 'Takes effect immediately, also for wallets that are already signed in.',
    scope: 'agreements.write',
    params: recordParams,
    query: chainOfReference,
    body: z.strictObject({ participantAccess: participantAccessShape }),
    data: { schema: recordShape, description: 'The record.' },
    refusals: [400, 404, 413, 415],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
      body: { participantAccess: 'sign' },
    },
    async handle({ params, query, body, caller, requestId, inPageTurn }) {
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId, keyId } = caller;
      await openRecord({ reference, principalId, keyId, inPageTurn, ...body }, services);
      const read = async () => {
        const dataText = await readRecord(services.pool, { reference, principalId });
        // Its document and its values were read twice.
        return respondLarge({
          requestId,
          dataText,
          readBytes: 2 * Buffer.byteLength(dataText),
          consistency: writeConsistency([]),
        });
      };
      return inPageTurn(read);
    },
  });
}
