import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import { readEvidenceRecord } from '../evidence/evidenceSubject.ts';
import { type EvidenceServices, respondEvidence } from '../evidence/respondEvidence.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { evidenceParts } from './getEvidence.ts';

export function getSharedEvidence(services: GuestServices, evidence: EvidenceServices): Endpoint {
  return defineGuestEndpoint(services, {
    ...evidenceParts,
    method: 'get',
    path: '/v0/shared/agreement/evidence',
    operationId: 'getSharedEvidence',
    summary: 'Read evidence of the agreement of a signing link',
    description:
      'Returns the same file or page as `GET /v0/agreements/{id}/evidence`. Each use of a link is recorded and visible to the principal.',
    need: 'read',
    query: sharedQuery,
    example: {},
    async handle({ guest: { recordId, principalId }, turn, noteUse, ...request }) {
      const readRecord = () =>
        readEvidenceRecord(evidence.source, { reference: { id: recordId }, principalId });
      const response = await respondEvidence({ ...request, readRecord, turn }, evidence);
      if (response.status === 200) await noteUse({ kind: 'evidence' });
      return response;
    },
  });
}
