import { randomUUID } from 'node:crypto';
import { malformed } from '../../platform/errors/serviceError.ts';
import { maxDocUri } from '../../records/agreements/maxDocUri.ts';

/** The document id of a record, and its signed URI. */
export type HostedDocument = { readonly documentId: string; readonly docUri: string };

/**
 * The URI of a deployment's document: the given one, or this service's URI for the given id, or for a new id
 * without one.
 *
 * @throws MalformedError for an id that makes the URI too long.
 */
export function chooseHostedDocument(
  { documentId = randomUUID(), docUri }: { documentId?: string | undefined; docUri?: string | undefined },
  publicBaseUrl: string,
): HostedDocument {
  if (docUri !== undefined) return { documentId, docUri };
  const hosted = `${documentsUrl(publicBaseUrl)}${encodeURIComponent(documentId)}`;
  if (hosted.length <= maxDocUri) return { documentId, docUri: hosted };
  throw malformed('body', [{ path: 'documentId', message: 'is too long for a document URI' }]);
}

/** The document id in a URI of this service. */
export function findHostedId(docUri: string, publicBaseUrl: string): string | undefined {
  const start = documentsUrl(publicBaseUrl);
  if (!docUri.startsWith(start)) return undefined;
  try {
    return decodeURIComponent(docUri.slice(start.length));
  } catch {
    return undefined;
  }
}

function documentsUrl(publicBaseUrl: string): string {
  return `${publicBaseUrl}/v0/agreements/documents/`;
}
