import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { createPace } from '../../platform/turns/pace.ts';
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
  const kept = new LRUCache<Hex, AuthoredDocument>({ maxSize: capacity });
  return {
    async load(transaction, records) {
      const wanted = new Map<Hex, AuthoredDocument>();
      const carriers = new Map<Hex, string>();
      for (const { id, docHash } of records) {
        const document = kept.get(docHash);
        if (document) wanted.set(docHash, document);
        else carriers.set(docHash, id);
      }
      if (carriers.size > 0) {
        const { rows } = await transaction.execute<DocumentRow>(sql`
          select doc_hash, document from service.records where id = any(${arrayOf([...carriers.values()])}::text[])`);
        const pace = createPace();
        for (const { doc_hash: docHash, document: text } of rows) {
          const document = readDocument(text);
          wanted.set(docHash, document);
          kept.set(docHash, document, { size: text.length });
          await pace.breathe();
        }
      }
      return (docHash) => {
        const document = wanted.get(docHash);
        if (!document) throw new Error(`The document ${docHash} was not loaded.`);
        return document;
      };
    },
  };
}
