import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';

/** What a fold loads of its records of one kind at once, in stored bytes: it takes a multiple of that in memory. */
const mostBytes = 16 * 1024 * 1024;
const mostRecords = 1_000;

type SizeRow = RowOf<typeof records, 'id' | 'doc_hash'> & { document_bytes: number; bytes: number };

/**
 * Divides records into those that a fold can hold in memory at once, at least one, and the others. Each
 * principal's first record comes before anybody's second one. Records of one document share it.
 */
export async function takeFitting(
  transaction: Queryable,
  ids: readonly string[],
): Promise<{ fitting: string[]; others: string[] }> {
  if (ids.length <= 1) return { fitting: [...ids], others: [] };
  const { rows } = await transaction.execute<SizeRow>(sql`
    select record.id, record.doc_hash, octet_length(record.document) as document_bytes,
      octet_length(record.variables::text) + octet_length(record.initial_variables::text)
      + octet_length(record.participants::text) + octet_length(record.observers::text)
      + coalesce(octet_length(record.notification_template), 0) as bytes
    from (
      select wanted.id, wanted.ordinal, row_number() over (partition by principal_id order by wanted.ordinal) as turn
      from unnest(${arrayOf(ids)}::text[]) with ordinality as wanted(id, ordinal)
      join service.records on records.id = wanted.id
      order by turn, wanted.ordinal limit ${mostRecords}) as first
    join service.records record on record.id = first.id
    order by first.turn, first.ordinal`);
  const documents = new Set<string>();
  let sum = 0;
  const end = rows.findIndex(({ doc_hash: docHash, document_bytes: documentBytes, bytes }, at) => {
    sum += bytes + (documents.has(docHash) ? 0 : documentBytes);
    documents.add(docHash);
    return at > 0 && sum > mostBytes;
  });
  const fitting = new Set(rows.slice(0, end === -1 ? rows.length : end).map(({ id }) => id));
  return { fitting: [...fitting], others: ids.filter((id) => !fitting.has(id)) };
}
