import { eq } from 'drizzle-orm';
import { records } from '../../platform/database/tables/records.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import type { PageRenderer } from '../documents/pageRenderer.ts';
import { readDocument } from '../documents/readDocument.ts';
import { defineOpenEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { inTurnOfGuests, turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { sharedQuery } from '../shapes/sharingShapes.ts';
import { documentShape, respondDocument } from './getDocument.ts';

export function getSharedDocument({ pool, database, guests }: GuestServices, pages: PageRenderer): Endpoint {
  return defineOpenEndpoint({
    method: 'get',
    path: '/v0/shared/agreement/document',
    operationId: 'getSharedDocument',
    tag: 'Sharing',
    summary: 'Read the text of the agreement of a signing link',
    description: 'Supports the same `Accept` values as `GET /v0/agreements/documents/{documentId}`.',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    query: sharedQuery,
    body: noBody,
    data: {
      schema: documentShape,
      description: 'The document.',
      otherForms: ['text/html', 'text/markdown'],
      isRevalidated: true,
    },
    refusals: [400, 404],
    example: {},
    async handle({ query, headers, client, limitGuest, inPageTurn, requestId }) {
      const { name, recordId, principalId } = await guests.admit({
        agreementId: query.agreementId,
        headers,
        client,
        need: 'read',
      });
      await limitGuest({ name, principalId });
      const [record] = await database
        .select({ documentId: records.documentId })
        .from(records)
        .where(eq(records.id, recordId));
      const documentId = record?.documentId ?? null;
      if (documentId === null) throw new NotFoundError('The agreement has no hosted document.');
      return respondDocument(() => readDocument(pool, { documentId, principalId }), {
        ...{ pages, headers, requestId },
        inPageTurn: inTurnOfGuests(principalId, inPageTurn),
        reader: { name, turn: turnOfGuests(principalId) },
      });
    },
  });
}
