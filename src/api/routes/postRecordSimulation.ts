import { z } from '@hono/zod-openapi';
import type { Services } from '../../records/agreements/services.ts';
import { defineEndpoint, type Endpoint } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';
import { recordSimulationShape, stepsShape } from '../shapes/simulationShapes.ts';
import { analyzeDocument } from '../simulation/analyzeDocument.ts';
import { readSteps } from '../simulation/readSteps.ts';
import { simulateRecord } from '../simulation/simulateRecord.ts';

export function simulateRecordEndpoint({ reads, limits }: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/{id}/simulate',
    operationId: 'simulateRecord',
    tag: 'Using agreements',
    summary: 'Simulate inputs from the current state of an agreement',
    description:
      'Like `POST /v0/agreements/simulate`, starting from the current state, variables and rules of the record. `differsFromDocument` says whether these are the rules of its document. Asks no node. Stores and sends nothing.',
    scope: 'agreements.read',
    isHeavy: true,
    isRead: true,
    params: recordParams,
    query: chainOfReference,
    body: z.strictObject({ steps: stepsShape }),
    data: { schema: recordSimulationShape, description: 'All steps, in order.' },
    refusals: [400, 404, 413, 415],
    reasons: ['not_deployed'],
    example: {
      body: { steps: exampleStory.steps },
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ body, params, query, caller, requestId, readAfter }) {
      const steps = readSteps(body.steps);
      const reference = { id: params.id, chainId: query.chainId };
      const { principalId } = caller;
      const { agreement, ...simulation } = await reads.run(readAfter, (source) =>
        simulateRecord(source, { reference, principalId, steps, limits, atMs: Date.now() }),
      );
      const analysis = await analyzeDocument(agreement);
      return respondSingle({ requestId, dataText: JSON.stringify({ ...simulation, analysis }) });
    },
  });
}
