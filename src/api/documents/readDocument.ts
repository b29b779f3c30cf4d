import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { noteReadBytes } from '../../platform/http/readCost.ts';
import { secondsSql, toMilliseconds } from '../../platform/lists/instant.ts';
import { isJsonObject } from '../../protocol/jsonCursor.ts';
import { readContent } from './content.ts';
import type { HostedDocument } from './hostedDocument.ts';

type DocumentRow = RowOf<
  typeof records,
  'id' | 'address' | 'chain_id' | 'display_name' | 'document' | 'doc_hash' | 'doc_uri' | 'variables'
> & { bytes: number; updated_seconds: number };

const query = `select r.id, r.address, r.chain_id, r.display_name, r.document, r.doc_hash, r.doc_uri, r.variables,
    octet_length(r.document) + octet_length(r.variables::text) as bytes,
    ${secondsSql('r.updated_at')} as updated_seconds
  from service.records r where r.principal_id = $1 and r.document_id = $2`;

/**
 * The document that one of a principal's own records hosts under an id; with the bytes that were read for it
 * (`costOf`).
 *
 * @throws NotFoundError if none does, whatever other principals have.
 */
export async function readDocument(
  pool: pg.Pool,
  { documentId, principalId }: { documentId: string; principalId: string },
): Promise<HostedDocument> {
  const [row] = await runPrepared<DocumentRow>(pool, query, [principalId, documentId]);
  if (!row) throw new NotFoundError('The document does not exist.');
  const agreement: unknown = JSON.parse(row.document);
  const document = {
    ...readContent(isJsonObject(agreement) ? agreement : {}),
    documentId,
    docUri: row.doc_uri,
    agreementId: row.id,
    agreementAddress: row.address ?? undefined,
    chainId: row.chain_id,
    displayName: row.display_name,
    docHash: row.doc_hash,
    updatedAt: new Date(toMilliseconds(row.updated_seconds)).toISOString(),
    values: row.variables,
  };
  return noteReadBytes(document, row.bytes);
}
