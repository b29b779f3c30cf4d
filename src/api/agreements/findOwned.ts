import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { WireValues } from '../../protocol/index.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

export type OwnedRecord = {
  readonly id: string;
  readonly chainId: number;
  readonly status: 'Draft' | 'Deployed';
  readonly variables: WireValues;
  /** A prepared deployment that its owner has not signed yet. */
  readonly awaitsOwner: boolean;
};

type Row = RowOf<typeof records, 'id' | 'chain_id' | 'status' | 'variables' | 'awaits_owner'>;

const query = buildOwnedQuery({
  columns: 'r.id, r.chain_id, r.status, r.variables, r.awaits_owner',
});

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
  const { id, chain_id: chainId, status, variables, awaits_owner: awaitsOwner } = row;
  return { id, chainId, status, variables, awaitsOwner };
}
