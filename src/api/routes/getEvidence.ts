import type { Services } from '../../records/agreements/services.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import { readEvidenceRecord } from '../evidence/evidenceSubject.ts';
import { type EvidenceServices, respondEvidence } from '../evidence/respondEvidence.ts';
import { evidenceProgressShape, evidenceShape } from '../shapes/evidenceShapes.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

export const evidenceData = {
  schema: evidenceShape,
  description: 'The file, in its one canonical form.',
  otherForms: ['text/html'],
  file: { pending: evidenceProgressShape },
} as const;

export function getEvidence(services: Services, evidence: EvidenceServices): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/evidence',
    operationId: 'getAgreementEvidence',
    tag: 'Agreement records',
    summary: 'Read evidence of what happened, checkable without this service',
    description:
      'One file with the document, each signature, and each transaction and receipt with its proof against the header of its block, and with proofs of what the contract holds. Whoever has it can check it years later, with `agreements verify`, at `/verify`, or with a program of their own: its format is described in docs/evidence.md, its JSON Schema is at `/v0/evidence.schema.json`. Blocks are fetched once and kept; while that takes longer than a request waits, the answer is 202 with how far it has come. `text/html` is a page made to be printed, of files up to 8 MiB.',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference,
    body: noBody,
    data: evidenceData,
    refusals: [400, 404, 409],
    reasons: ['not_deployed', 'values_unknown', 'not_provable', 'evidence_too_long'],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, headers, requestId }) {
      const { principalId } = caller;
      const reference = { id: params.id, chainId: query.chainId };
      const record = await readEvidenceRecord(services.pool, { reference, principalId });
      const request = { record, turn: principalId, headers, requestId };
      return respondEvidence(request, { ...services, ...evidence });
    },
  });
}
