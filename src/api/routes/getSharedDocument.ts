import { eq } from 'drizzle-orm';
import { records } from '../../platform/database/tables/records.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import type { PageRenderer } from '../documents/pageRenderer.ts';
import { readDocument } from '../documents/readDocument.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { defineGuestEndpoint } from '../endpoint/defineGuestEndpoint.ts';
import { inTurnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { documentParts, respondDocument } from './getDocument.ts';

export function getSharedDocument(services: GuestServices, pages: PageRenderer): Endpoint {
  const { pool, database } = services;
  return defineGuestEndpoint(services, {
    ...documentParts,
    method: 'get',
    path: '/v0/shared/agreement/document',
    operationId: 'getSharedDocument',
    summary: 'Read the text of the agreement of a signing link',
    description: 'Supports the same `Accept` values as `GET /v0/agreements/documents/{documentId}`.',
    need: 'read',
    query: sharedQuery,
    example: {},
    async handle({ guest: { name, recordId, principalId }, turn, inPageTurn, headers, requestId }) {
      const [record] = await database
        .select({ documentId: records.documentId })
        .from(records)
        .where(eq(records.id, recordId));
      const documentId = record?.documentId ?? null;
      if (documentId === null) throw new NotFoundError('The agreement has no hosted document.');
      return respondDocument(() => readDocument(pool, { documentId, principalId }), {
        ...{ pages, headers, requestId },
        inPageTurn: inTurnOfGuests(principalId, inPageTurn),
        reader: { name, turn },
      });
    },
  });
}
