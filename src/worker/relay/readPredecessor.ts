import type pg from 'pg';
import type { OrNull, RowAs } from '../../platform/database/rowOf.ts';
import type { projections } from '../../platform/database/tables/projections.ts';
import { hasMoved } from '../../records/agreements/hasMoved.ts';
import type { IndexHead } from './indexHead.ts';
import { isBefore, relatedTo } from './rowOrder.ts';

export type Predecessor = {
  /**
   * Whether an earlier related row may still take effect: undefined for no, `passed` if one is about to be
   * decided because the chain has passed it in the same wallet, otherwise `open`.
   */
  readonly predecessor: 'open' | 'passed' | undefined;
  /** The block up to which this is known; undefined if nothing is folded, or without the row. */
  readonly head: IndexHead | undefined;
};

type Found = OrNull<RowAs<typeof projections, { head: 'head_number'; head_hash: 'head_hash' }>> & {
  is_open: boolean;
  is_passed: boolean | null;
};

/**
 * SQL: the related rows before this one that may still take effect. Another signer's accepted row is not sent while its
 * agreement has moved.
 */
export function openBefore(row: string): string {
  return `(
    select earlier.* from ${relatedTo(row)} as earlier
    where earlier.state <> 'mined' and ${isBefore('earlier', row)}
      and not (earlier.state = 'accepted' and earlier.signer <> ${row}.signer and ${hasMoved('earlier')}))`;
}

/** Reads both in one statement: a row that is mined at this head has its effect in that block's state. */
export async function readPredecessor(pool: pg.Pool, id: string): Promise<Predecessor> {
  const { rows } = await pool.query<Found>(
    `select shown.head_number as head, shown.head_hash, before.is_open, before.is_passed
     from service.transactions tx
     left join service.projections shown on shown.chain_id = tx.chain_id
     cross join lateral (
       select count(*) > 0 as is_open,
         bool_or(earlier.wallet = tx.wallet and earlier.wallet_nonce < tx.wallet_nonce) as is_passed
       from ${openBefore('tx')} as earlier) as before
     where tx.id = $1`,
    [id],
  );
  const [found] = rows;
  if (!found) return { predecessor: undefined, head: undefined };
  const { head, head_hash: hash, is_open, is_passed } = found;
  const kind = is_passed ? 'passed' : 'open';
  return {
    predecessor: is_open ? kind : undefined,
    head: head === null || hash === null ? undefined : { number: BigInt(head), hash },
  };
}
