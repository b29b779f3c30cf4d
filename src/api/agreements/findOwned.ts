import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

export type OwnedRecord = {
  readonly id: string;
  readonly chainId: number;
  /** A prepared deployment that its owner has not signed yet. */
  readonly awaitsOwner: boolean;
};

type Row = RowOf<typeof records, 'id' | 'chain_id' | 'awaits_owner'>;

const query = buildOwnedQuery({ columns: 'r.id, r.chain_id, r.awaits_owner' });

/**
 * One of a principal's records.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function findOwned(
  pool: pg.Pool,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<OwnedRecord> {
  const [row] = await queryOwned<Row>(pool, { reference, principalId, query });
  return { id: row.id, chainId: row.chain_id, awaitsOwner: row.awaits_owner };
}
