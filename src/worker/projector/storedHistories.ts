import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedAgreements } from '../../platform/database/indexView.ts';
import type { NotNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { announcedThrough } from './announcedSince.ts';
import { beginHistory, type History } from './history.ts';

/** A Deployed record with its folded on-chain data. */
export type FoldedRecord = {
  id: string;
  principalId: string;
  docHash: Hex;
  history: History;
  /** The last block whose transitions an earlier fold has announced, or kept silent; null before the first. */
  announcedThrough: bigint | null;
};

export type RecordSelection = { chainId: number; ids: readonly string[] };

type StoredRow = RowOf<
  typeof records,
  | 'id'
  | 'principal_id'
  | 'doc_hash'
  | 'variables'
  | 'input_count'
  | 'transition_count'
  | 'last_input_id'
  | 'announced_through'
> &
  NotNull<RowOf<typeof records, 'state_hash' | 'state_block_number'>> & {
    agreement: Hex;
    state_timestamp: string;
    last_input_timestamp: string | null;
  };

export async function readStoredHistories(
  transaction: Queryable,
  { ids }: RecordSelection,
): Promise<FoldedRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await transaction.execute<StoredRow>(sql`
    select id, principal_id, doc_hash, lower(address) as agreement, variables, state_hash, state_block_number::text,
      extract(epoch from state_updated_at)::bigint::text as state_timestamp, input_count, transition_count,
      last_input_id, extract(epoch from last_input_at)::bigint::text as last_input_timestamp,
      ${announcedThrough}::text as announced_through
    from service.records record
    where id = any(${arrayOf(ids)}::text[])`);
  return rows.map((row) => ({
    id: row.id,
    principalId: row.principal_id,
    docHash: row.doc_hash,
    announcedThrough: readBlock(row.announced_through),
    history: {
      agreement: row.agreement,
      variables: row.variables,
      stateHash: row.state_hash,
      stateBlockNumber: BigInt(row.state_block_number),
      stateTimestamp: BigInt(row.state_timestamp),
      inputCount: row.input_count,
      transitionCount: row.transition_count,
      lastInput:
        row.last_input_id === null || row.last_input_timestamp === null
          ? null
          : { inputId: row.last_input_id, timestamp: BigInt(row.last_input_timestamp) },
    },
  }));
}

type BeginningRow = RowOf<
  typeof records,
  'id' | 'principal_id' | 'doc_hash' | 'initial_variables' | 'announced_through'
> &
  NotNull<RowOf<typeof records, 'initial_state_hash'>> &
  RowOf<typeof indexedAgreements, 'block_number' | 'block_timestamp'> &
  RowAs<typeof indexedAgreements, { agreement: 'address' }>;

/** The records at their agreement's deployment. */
export async function readBeginnings(
  transaction: Queryable,
  { chainId, ids }: RecordSelection,
): Promise<FoldedRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await transaction.execute<BeginningRow>(sql`
    select record.id, record.principal_id, record.doc_hash, shown.address as agreement, record.initial_variables, record.initial_state_hash,
      shown.block_number::text, shown.block_timestamp::text,
      ${announcedThrough}::text as announced_through
    from service.records record
    join chain_index.agreements shown on shown.chain_id = ${chainId} and shown.address = lower(record.address)
    where record.id = any(${arrayOf(ids)}::text[])`);
  return rows.map((row) => ({
    id: row.id,
    principalId: row.principal_id,
    docHash: row.doc_hash,
    announcedThrough: readBlock(row.announced_through),
    history: beginHistory({
      agreement: row.agreement,
      initialState: row.initial_state_hash,
      initialVariables: row.initial_variables,
      blockNumber: BigInt(row.block_number),
      blockTimestamp: BigInt(row.block_timestamp),
    }),
  }));
}

function readBlock(number: string | null): bigint | null {
  return number === null ? null : BigInt(number);
}
