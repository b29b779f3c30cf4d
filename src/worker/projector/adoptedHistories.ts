import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import type { MinedInput } from './history.ts';

/** Transitions that are history of an adopted agreement, each by its `historyKeyOf`. */
export type AdoptedHistory = ReadonlySet<string>;

type Transition = Pick<MinedInput, 'position' | 'txHash' | 'transactionOrdinal' | 'fromState' | 'toState'>;

/** Equal only for the same input with the same effect after as many others. */
export function historyKeyOf(recordId: string, transition: Transition): string {
  const { position, txHash, transactionOrdinal, fromState, toState } = transition;
  return JSON.stringify([recordId, position, txHash, transactionOrdinal, fromState, toState]);
}

/**
 * Ends the history of adopted records at their last input, once the chain was folded through their adoption: what
 * comes from then on is announced, even if a reorg puts it into an earlier block than the adoption's.
 *
 * @param ids Deployed records that lack no input of the blocks folded before.
 * @param foldedHead the last block that was folded before this fold; null for none.
 */
export async function endHistories(
  transaction: Queryable,
  { ids, foldedHead }: { ids: readonly string[]; foldedHead: bigint | null },
): Promise<void> {
  if (ids.length === 0 || foldedHead === null) return;
  await transaction.execute(sql`
    update service.records set adopted_through = state_block_number
    where id = any(${arrayOf(ids)}::text[]) and adopted_through <= ${foldedHead} and adopted_through > state_block_number`);
}

type Fallen = {
  chainId: number;
  /** Ascending; the records still have their inputs in these blocks, and the blocks are still folded. */
  numbers: readonly bigint[];
  foldedHead: bigint | null;
};

/**
 * Ends the history of adopted records before the first block that fell out. Of what the index shows there now, only the
 * returned transitions are history.
 */
export async function cutHistories(transaction: Queryable, fallen: Fallen): Promise<AdoptedHistory> {
  const { chainId, numbers, foldedHead } = fallen;
  const first = await findFirstReplaced(transaction, fallen);
  if (first === null || foldedHead === null) return new Set();
  const blocks = sql`any(${arrayOf(numbers.filter((number) => number >= first))}::bigint[])`;
  // Of a record that lacks inputs, the history is not known to its end.
  const isWhole = sql`record.adopted_through <= ${foldedHead} and not record.behind
    and not exists (select 1 from service.quarantined_records aside where aside.record_id = record.id)`;
  const { rows } = await transaction.execute<HistoryRow>(sql`
    select input.record_id, input.position, input.tx_hash, input.transaction_ordinal, input.from_state, input.to_state
    from service.inputs input join service.records record on record.id = input.record_id
    where input.chain_id = ${chainId} and input.block_number = ${blocks} and input.sequence is not null
      and input.block_number <= record.adopted_through and ${isWhole}`);
  await transaction.execute(sql`
    update service.records record set adopted_through = least(adopted_through, case
      when deploy_block_number >= ${first} then ${first - 1n}
      else coalesce((
        select block_number from service.inputs input
        where input.record_id = record.id and input.position is not null and input.block_number < ${first}
        order by input.position desc limit 1), deploy_block_number) end)
    where record.id in (
        select record_id from service.inputs where chain_id = ${chainId} and block_number = ${blocks}
        union
        select id from service.records where chain_id = ${chainId} and deploy_block_number = ${blocks})
      and ${isWhole}`);
  return new Set(
    rows.map(({ record_id: recordId, position, ...row }) => {
      const { tx_hash: txHash, transaction_ordinal: transactionOrdinal, from_state, to_state } = row;
      const states = { fromState: from_state, toState: to_state };
      return historyKeyOf(recordId, { position, txHash, transactionOrdinal, ...states });
    }),
  );
}

type HistoryRow = RowOf<typeof inputs, 'record_id'> &
  NotNull<RowOf<typeof inputs, 'position' | 'tx_hash' | 'transaction_ordinal' | 'from_state' | 'to_state'>>;

/** The first of the blocks that the index does not show with the same hash; null if only their events were counted anew. */
async function findFirstReplaced(
  transaction: Queryable,
  { chainId, numbers }: Pick<Fallen, 'chainId' | 'numbers'>,
): Promise<bigint | null> {
  const { rows } = await transaction.execute<{ number: string | null }>(sql`
    select min(folded.number)::text as number
    from service.folded_blocks folded
    left join chain_index.blocks shown
      on shown.chain_id = ${chainId} and shown.number = folded.number::numeric
    where folded.chain_id = ${chainId} and folded.number = any(${arrayOf(numbers)}::bigint[])
      and shown.hash is distinct from folded.hash`);
  const number = rows[0]?.number ?? null;
  return number === null ? null : BigInt(number);
}
