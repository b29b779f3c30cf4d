import { refuseAgreement, requireAgreement } from '../../agreements/checkDeployment.ts';
import type { Services } from '../../agreements/services.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint.ts';
import { respondSingle } from '../envelopes.ts';
import { exampleStory } from '../exampleStory.ts';
import { templateReportShape } from '../resources.ts';
import { agreementShape } from '../shapes.ts';

export function validateTemplate({ limits }: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/validate-template',
    operationId: 'validateTemplate',
    tag: 'Authoring',
    summary: 'Check the structure of an authored agreement',
    description: 'Looks at the document alone: no values, wallets, signer or permit.',
    scope: 'agreements.write',
    params: none,
    query: none,
    body: agreementShape,
    refuseBody: refuseAgreement,
    data: { schema: templateReportShape, description: 'What the document declares, and warnings.' },
    refusals: [400, 413, 415],
    reasons: ['invalid_agreement'],
    example: { body: exampleStory.agreement },
    handle({ body, requestId }) {
      const { templateId, participantVariableKeys, inputIds, stateIds, warnings } = requireAgreement(
        body,
        limits,
        '',
      );
      const report = { templateId, participantVariableKeys, inputIds, stateIds, warnings };
      return respondSingle({ requestId, dataText: JSON.stringify(report) });
    },
  });
}
