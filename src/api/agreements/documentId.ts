import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { records } from '../../platform/database/tables/records.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';

export const maxDocumentId = 256;
/** Characters allowed in one segment of a path. */
export const documentIdPattern = /^(?!\.{1,2}$)[^\p{Cc}/\\?#]+$/u;

export function isDocumentId(text: string): boolean {
  return text.length <= maxDocumentId && documentIdPattern.test(text) && text.isWellFormed();
}

type DocumentOf = { readonly principalId: string; readonly documentId: string };

/** Whether none of the principal's records hosts a document under this id. */
export async function isFreeDocumentId(
  database: Database,
  { principalId, documentId }: DocumentOf,
): Promise<boolean> {
  const [taken] = await database
    .select({ id: records.id })
    .from(records)
    .where(and(eq(records.principalId, principalId), eq(records.documentId, documentId)));
  return taken === undefined;
}

/** @throws RefusedError `document_id_taken` for an id that a caller has chosen and has used before. */
export async function requireFreeDocumentId(
  database: Database,
  {
    principalId,
    documentId,
    draftId,
  }: { principalId: string; documentId?: string | undefined; draftId?: string | undefined },
): Promise<void> {
  // A draft already has its own id.
  if (documentId === undefined || draftId !== undefined) return;
  if (!(await isFreeDocumentId(database, { principalId, documentId }))) throw refuseDocumentId(documentId);
}

export function refuseDocumentId(documentId: string): RefusedError {
  const message = 'Another record of this principal already uses this document id.';
  return new RefusedError('document_id_taken', message, { field: 'documentId', facts: { documentId } });
}
