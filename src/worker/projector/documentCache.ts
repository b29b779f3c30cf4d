import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { type AuthoredDocument, readDocument } from './projectedDocument.ts';

/** In characters of text; the parsed form takes a multiple of it. */
const capacity = 16_000_000;

/** Documents by hash, read from their records; the last used ones are kept. */
export type DocumentCache = {
  load(transaction: Queryable, records: readonly { id: string; docHash: Hex }[]): Promise<DocumentLookup>;
};
export type DocumentLookup = (docHash: Hex) => AuthoredDocument;

type DocumentRow = RowOf<typeof records, 'doc_hash' | 'document'>;

export function createDocumentCache(): DocumentCache {
  // In the order of use; a document larger than the cache is kept alone.
  const kept = new Map<Hex, { document: AuthoredDocument; size: number }>();
  let size = 0;

  const keep = (docHash: Hex, text: string) => {
    const entry = { document: readDocument(text), size: text.length };
    kept.set(docHash, entry);
    size += entry.size;
    return entry.document;
  };
  const forgetOldest = () => {
    for (const [docHash, entry] of kept) {
      if (size <= capacity || kept.size === 1) return;
      kept.delete(docHash);
      size -= entry.size;
    }
  };

  return {
    async load(transaction, records) {
      const wanted = new Map<Hex, AuthoredDocument>();
      const carriers = new Map<Hex, string>();
      for (const { id, docHash } of records) {
        const entry = kept.get(docHash);
        if (!entry) {
          carriers.set(docHash, id);
          continue;
        }
        kept.delete(docHash);
        kept.set(docHash, entry);
        wanted.set(docHash, entry.document);
      }
      if (carriers.size > 0) {
        const { rows } = await transaction.execute<DocumentRow>(sql`
          select doc_hash, document from service.records where id = any(${arrayOf([...carriers.values()])}::text[])`);
        for (const row of rows) wanted.set(row.doc_hash, keep(row.doc_hash, row.document));
        forgetOldest();
      }
      return (docHash) => {
        const document = wanted.get(docHash);
        if (!document) throw new Error(`The document ${docHash} was not loaded.`);
        return document;
      };
    },
  };
}
