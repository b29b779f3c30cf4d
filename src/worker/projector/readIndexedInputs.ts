import { type SQL, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedInputs } from '../../platform/database/indexView.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { IndexedInput } from './history.ts';

type Row = { id: string; is_beyond: boolean } & RowOf<
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

/** A record that lacks its inputs after the position `after`. */
export type Wanted = { id: string; agreement: Hex; after: number };

export type RecordInput = { recordId: string; input: IndexedInput };

export type InputSelection = {
  chainId: number;
  wanted: readonly Wanted[];
  where: SQL;
  /** The most inputs. */
  limit: number;
  /** The most characters of payloads. */
  payloads: number;
};

/**
 * The missing inputs of each record, in the order of the records and of the chain, as many as fit together;
 * `next` is the first one beyond them, if any.
 */
export async function readInputs(
  transaction: Queryable,
  { chainId, wanted, where, limit, payloads }: InputSelection,
): Promise<{ inputs: RecordInput[]; next: RecordInput | undefined }> {
  const ordered = wanted.map(({ id, agreement, after }, ordinal) => ({ ordinal, id, agreement, after }));
  // The sum goes over rows that are found already. It needs the lengths of stored payloads only.
  const { rows } = await transaction.execute<Row>(sql`
    select *, number > ${limit} or through > ${payloads} as is_beyond
    from (
      select *, row_number() over chain_order as number, sum(octet_length(payload)) over chain_order as through
      from (
        select wanted.ordinal, wanted.id, shown.*
        from ${recordsOf(ordered)} as wanted(ordinal int, id text, agreement text, after int)
        cross join lateral (
          select position, input_id, from_state, to_state, sequence, payload, permit_signer, permit_submitter,
            transaction_hash, transaction_from, transaction_to, transaction_ordinal,
            block_number::text, block_timestamp::text
          from chain_index.inputs
          where chain_id = ${chainId} and agreement = wanted.agreement and position > wanted.after and ${where}
          order by position
          limit ${limit + 1}
        ) as shown
        order by wanted.ordinal, shown.position
        limit ${limit + 1}
      ) as found
      window chain_order as (order by ordinal, position rows unbounded preceding)
    ) as measured
    where through - octet_length(payload) <= ${payloads}
    order by ordinal, position`);
  const inputs = rows.map((row) => ({ recordId: row.id, input: inputOf(row) }));
  const next = rows.at(-1)?.is_beyond ? inputs.pop() : undefined;
  return { inputs, next };
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
