import { type SQL, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedInputs } from '../../platform/database/indexView.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { IndexedInput } from './history.ts';

type Row = { id: string } & RowOf<
  typeof indexedInputs,
  | 'position'
  | 'input_id'
  | 'from_state'
  | 'to_state'
  | 'sequence'
  | 'payload'
  | 'permit_signer'
  | 'permit_submitter'
  | 'transaction_hash'
  | 'transaction_from'
  | 'transaction_to'
  | 'transaction_ordinal'
  | 'block_number'
  | 'block_timestamp'
>;

/** The first missing input of a record: `after` is the position of its last one. */
export type Wanted = { id: string; agreement: Hex; after: number };

/** The missing inputs of each record, in the order of the records and of the chain; at most `limit` in total. */
export async function readInputs(
  transaction: Queryable,
  selection: { chainId: number; wanted: readonly Wanted[]; where: SQL; limit: number },
): Promise<{ recordId: string; input: IndexedInput }[]> {
  const { chainId, where, limit } = selection;
  const wanted = selection.wanted.map(({ id, agreement, after }, ordinal) => ({
    ordinal,
    id,
    agreement,
    after,
  }));
  const { rows } = await transaction.execute<Row>(sql`
    select wanted.id, shown.*
    from ${recordsOf(wanted)} as wanted(ordinal int, id text, agreement text, after int)
    cross join lateral (
      select position, input_id, from_state, to_state, sequence, payload, permit_signer, permit_submitter,
        transaction_hash, transaction_from, transaction_to, transaction_ordinal,
        block_number::text, block_timestamp::text
      from chain_index.inputs
      where chain_id = ${chainId} and agreement = wanted.agreement and position > wanted.after and ${where}
      order by position
      limit ${limit}
    ) as shown
    order by wanted.ordinal, shown.position
    limit ${limit}`);
  return rows.map((row) => ({ recordId: row.id, input: inputOf(row) }));
}

function inputOf(row: Row): IndexedInput {
  return {
    position: row.position,
    inputId: row.input_id,
    fromState: row.from_state,
    toState: row.to_state,
    sequence: row.sequence,
    payload: row.payload,
    permitSigner: row.permit_signer,
    permitSubmitter: row.permit_submitter,
    transactionHash: row.transaction_hash,
    transactionFrom: row.transaction_from,
    transactionTo: row.transaction_to,
    transactionOrdinal: row.transaction_ordinal,
    blockNumber: BigInt(row.block_number),
    blockTimestamp: BigInt(row.block_timestamp),
  };
}
