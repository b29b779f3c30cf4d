import { noteUse } from '../../records/sharing/manageLinks.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { readEvidenceRecord } from '../evidence/evidenceSubject.ts';
import { type EvidenceServices, respondEvidence } from '../evidence/respondEvidence.ts';
import { turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { evidenceData } from './getEvidence.ts';

export function getSharedEvidence(services: GuestServices, evidence: EvidenceServices): Endpoint {
  const { database, guests } = services;
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/shared/agreement/evidence',
    operationId: 'getSharedEvidence',
    tag: 'Sharing',
    summary: 'Read evidence of the agreement of a signing link',
    description:
      'Returns the same file or page as `GET /v0/agreements/{id}/evidence`. Each use of a link is recorded and visible to the principal.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: noBody,
    data: evidenceData,
    refusals: [400, 404, 409],
    reasons: ['not_deployed', 'values_unknown', 'not_provable', 'evidence_too_long'],
    example: {},
    async handle({ query, headers, client, limitGuest, requestId, disconnect }) {
      const { name, linkId, recordId, principalId } = await guests.admit({
        agreementId: query.agreementId,
        headers,
        client,
        need: 'read',
      });
      await limitGuest({ name, principalId });
      const readRecord = () =>
        readEvidenceRecord(evidence.source, { reference: { id: recordId }, principalId });
      const turn = turnOfGuests(principalId);
      const response = await respondEvidence(
        { readRecord, turn, headers, requestId, disconnect },
        { ...services, ...evidence },
      );
      if (linkId !== undefined && response.status === 200)
        await noteUse(database, { linkId, kind: 'evidence' });
      return response;
    },
  });
}
