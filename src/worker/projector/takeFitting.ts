import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';

/** The most stored bytes of records of one kind that a fold loads at once; in memory they take a multiple of that. */
const mostBytes = 16 * 1024 * 1024;
const mostRecords = 1_000;

/**
 * Divides records into those that a fold can hold in memory at once, at least one, and the others. Each
 * principal's first record comes before anybody's second one. Records of one document share it.
 */
export async function takeFitting(
  transaction: Queryable,
  ids: readonly string[],
): Promise<{ fitting: string[]; others: string[] }> {
  if (ids.length <= 1) return { fitting: [...ids], others: [] };
  const fitting = await idsOf(
    transaction,
    sql`with recursive first as materialized (
      select records.id, doc_hash, octet_length(document) as document_bytes, wanted.ordinal,
        row_number() over (partition by principal_id order by wanted.ordinal) as turn
      from unnest(${arrayOf(ids)}::text[]) with ordinality as wanted(id, ordinal)
      join service.records on records.id = wanted.id
      order by turn, wanted.ordinal limit ${mostRecords}),
    counted as (
      select *, case row_number() over (partition by doc_hash order by turn, ordinal)
        when 1 then document_bytes else 0 end as own_bytes
      from first),
    ordered as materialized (
      select array_agg(id order by turn, ordinal) as ids, array_agg(own_bytes order by turn, ordinal) as documents
      from counted),
    measured as (
      select 1 as place, documents[1]::bigint + ${bytesOf(sql`ids[1]`)} as through from ordered where cardinality(ids) > 0
      union all
      select place + 1, through + documents[place + 1] + ${bytesOf(sql`ids[place + 1]`)}
      from measured, ordered where through <= ${mostBytes} and place < cardinality(ids))
    select ids[place] as id from measured, ordered where place = 1 or through <= ${mostBytes} order by place`,
  );
  const taken = new Set(fitting);
  return { fitting, others: ids.filter((id) => !taken.has(id)) };
}

/** Measuring JSON means reading and decompressing it. So records are measured one by one, until there is no more room. */
const bytesOf = (id: SQL): SQL => sql`(
  select octet_length(variables::text) + octet_length(initial_variables::text) + octet_length(participants::text)
    + octet_length(observers::text) + coalesce(octet_length(notification_template), 0)
  from service.records where records.id = ${id})`;
