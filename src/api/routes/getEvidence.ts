import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { readEvidenceRecord } from '../evidence/evidenceSubject.ts';
import { type EvidenceServices, respondEvidence } from '../evidence/respondEvidence.ts';
import { evidenceProgressShape, evidenceShape } from '../shapes/evidenceShapes.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

export const evidenceParts = {
  body: noBody,
  data: {
    schema: evidenceShape,
    description: 'The evidence file in canonical JSON.',
    otherForms: ['text/html'],
    file: { pending: evidenceProgressShape },
  },
  refusals: [400, 404, 409],
  reasons: [
    'unsupported_chain',
    'not_deployed',
    'values_unknown',
    'not_provable',
    'evidence_too_long',
    'storage_exceeded',
  ],
} as const;

export function getEvidence(evidence: EvidenceServices): Endpoint {
  return defineEndpoint({
    ...evidenceParts,
    method: 'get',
    path: '/v0/agreements/{id}/evidence',
    operationId: 'getAgreementEvidence',
    tag: 'Agreement records',
    summary: 'Read independently verifiable evidence of an agreement',
    description:
      'Returns one file with the document, all signatures, all transactions and receipts with their inclusion proofs, and proofs of the contract storage. The file can be verified years later without this service: with `agreements verify`, at `/verify`, or with any other program. docs/evidence.md describes the format; the JSON Schema is at `/v0/evidence.schema.json`. Blocks are fetched once and then kept. While they are being fetched, the response is 202 with the progress. `text/html` returns a printable page for files up to 8 MiB. Evidence of an agreement with more inputs than the limit is refused, and so is a file above the limit of bytes.',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference,
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, requireAccess, headers, requestId, disconnect }) {
      const { principalId } = caller;
      const reference = { id: params.id, chainId: query.chainId };
      const readRecord = () => readEvidenceRecord(evidence.source, { reference, principalId });
      const request = { readRecord, requireAccess, turn: principalId, headers, requestId, disconnect };
      return respondEvidence(request, evidence);
    },
  });
}
