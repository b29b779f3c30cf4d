import { isJsonObject } from '../../protocol/jsonCursor.ts';
import type { Services } from '../../records/agreements/services.ts';
import { refuseAgreement, requireAgreement } from '../agreements/checkDeployment.ts';
import { defineEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { templateReportShape } from '../shapes/resources.ts';
import { agreementShape } from '../shapes/shapes.ts';
import { describeWarnings } from '../shapes/warnings.ts';
import { analyzeDocument } from '../simulation/analyzeDocument.ts';

const wrappedMessage = 'must be the body itself, without a member around it';

/** Other routes have the document in a member. A document without `execution` is refused anyway. */
function isWrapped(body: unknown): boolean {
  return isJsonObject(body) && isJsonObject(body.agreement) && body.execution === undefined;
}

export function validateTemplate({ limits }: Services): Endpoint {
  return defineEndpoint({
    method: 'post',
    path: '/v0/agreements/validate-template',
    operationId: 'validateTemplate',
    tag: 'Authoring',
    summary: 'Check the structure of an authored agreement',
    description: 'Checks the document only, without values, wallets, signer or permit.',
    scope: 'agreements.write',
    isHeavy: true,
    params: none,
    query: none,
    body: agreementShape,
    refuseBody: refuseAgreement,
    data: { schema: templateReportShape, description: 'The declarations of the document, and warnings.' },
    refusals: [400, 413, 415],
    reasons: ['invalid_agreement'],
    example: { body: exampleStory.agreement },
    async handle({ body, requestId }) {
      if (isWrapped(body)) throw refuseAgreement([{ path: 'agreement', message: wrappedMessage }]);
      const { templateId, participantVariableKeys, inputIds, stateIds, warnings } = requireAgreement(
        body,
        limits,
        '',
      );
      const report = {
        templateId,
        participantVariableKeys,
        inputIds,
        stateIds,
        ...describeWarnings(warnings),
        analysis: await analyzeDocument(body),
      };
      return respondSingle({ requestId, dataText: JSON.stringify(report) });
    },
  });
}
