import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedAgreements } from '../../platform/database/indexView.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { idsOf, recordsOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { isSameAgreement } from './sameAgreement.ts';

/** An address in a principal's records, and the agreement that is there. */
export type Place = NotNull<RowOf<typeof records, 'principal_id' | 'chain_id' | 'address' | 'doc_hash'>> &
  RowOf<typeof indexedAgreements, 'transaction_hash'> & { permit_creation: string | null };

/** An address that an agreement has left. */
export type LeftPlace = Pick<Place, 'principal_id' | 'chain_id' | 'address'>;

/** A Draft that has lost its address, and its place. */
export type DisplacedRecord = LeftPlace & RowOf<typeof records, 'id'>;

/** As the database writes JSON. */
const reason = '{"reason" : "agreement_replaced"';

/**
 * The error of a displaced record: nothing else says where it waited. Errors are compared as texts, because the database
 * refuses to look into JSON with NUL, which other errors may hold.
 */
const replacedAt = (address: SQL): SQL => sql`json_build_object('reason', 'agreement_replaced', 'message',
  'Since a reorganisation, the chain has another agreement at ' || ${address} || '. Import this one by its present address.')`;

/**
 * Takes the addresses from the principals' Drafts that wait for other agreements there: an address has one record of
 * each principal. They are in quarantine no more. Returns these Drafts.
 */
export function displaceWaiting(transaction: Queryable, places: readonly Place[]): Promise<string[]> {
  return idsOf(
    transaction,
    sql`with displaced as (
      update service.records waiting set address = null, error = ${replacedAt(sql`place.address`)}, updated_at = now()
      from ${rowsOf(places)}
      where waiting.principal_id = place.principal_id and waiting.chain_id = place.chain_id
        and waiting.address = place.address and waiting.status = 'Draft' and not ${isAtPlace('waiting')}
      returning waiting.id),
    freed as (delete from service.quarantined_records where record_id in (select id from displaced))
    select id from displaced`,
  );
}

/** The newest record displaced from each place that waits for the agreement there; for a left place the newest one of all. */
export async function findDisplaced(
  transaction: Queryable,
  places: readonly (Place | LeftPlace)[],
): Promise<DisplacedRecord[]> {
  if (places.length === 0) return [];
  // A principal may have many Drafts with other errors: each is read once, whatever the number of places.
  const { rows } = await transaction.execute<DisplacedRecord>(sql`
    with place as materialized (select * from ${rowsOf(places)}),
    displaced as materialized (
      select id, principal_id, chain_id, doc_hash, adopted_creation, error::text as error, created_at from service.records
      where (principal_id, chain_id) in (select principal_id, chain_id from place)
        and address is null and status = 'Draft' and starts_with(error::text, ${reason}))
    select distinct on (displaced.principal_id, displaced.chain_id, place.address)
      displaced.id, displaced.principal_id, displaced.chain_id, place.address
    from place join displaced
      on displaced.principal_id = place.principal_id and displaced.chain_id = place.chain_id
      and displaced.error = ${replacedAt(sql`place.address`)}::text
      and (place.doc_hash is null or ${isAtPlace('displaced')})
    order by displaced.principal_id, displaced.chain_id, place.address, displaced.created_at desc, displaced.id`);
  return rows;
}

/** Has displaced records wait at their addresses again, where the principal has no other record. Returns them. */
export function restoreDisplaced(
  transaction: Queryable,
  displaced: readonly DisplacedRecord[],
): Promise<string[]> {
  return idsOf(
    transaction,
    sql`update service.records record set address = place.address, error = null, updated_at = now()
    from ${recordsOf(displaced)} as place(id text, address text)
    where record.id = place.id and not exists (
      select 1 from service.records other where other.principal_id = record.principal_id
        and other.chain_id = record.chain_id and other.address = place.address)
    returning record.id`,
  );
}

const rowsOf = (places: readonly (Place | LeftPlace)[]): SQL =>
  sql`${recordsOf(places)} as place(principal_id text, chain_id int, address text, doc_hash text,
    transaction_hash text, permit_creation text)`;

const isAtPlace = (record: string): SQL => sql.raw(isSameAgreement(record, 'place', 'place.permit_creation'));
