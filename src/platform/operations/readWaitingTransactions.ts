import type pg from 'pg';
import type { RowAs, RowOf } from '../database/rowOf.ts';
import type { transactions } from '../database/tables/transactions.ts';

export type WaitingTransaction = Readonly<
  RowOf<typeof transactions, 'id' | 'kind' | 'state' | 'wallet'> &
    RowAs<typeof transactions, { chainId: 'chain_id' }>
> & {
  readonly ageSeconds: number;
  /** Seconds until the chain refuses its permit; negative after that. */
  readonly validForSeconds: number;
  /** The nonce for the wallet of the relayer that sends it; both are null before it is signed. */
  readonly walletNonce: number | null;
  /** How often it was signed: more than once if fees were raised. */
  readonly attempts: number;
  /** The last objection of a node. */
  readonly lastError: string | null;
};

const most = 10;

const statement = `
  select id, chain_id as "chainId", kind, state, wallet, wallet_nonce::float8 as "walletNonce",
    extract(epoch from now() - created_at)::float8 as "ageSeconds",
    (deadline - extract(epoch from now()))::float8 as "validForSeconds",
    (select count(*)::int from service.transaction_attempts where transaction_id = oldest.id) as attempts,
    (select objection || coalesce(': ' || objection_text, '') from service.transaction_attempts
      where transaction_id = oldest.id order by id desc limit 1) as "lastError"
  from (
    select * from service.transactions where state in ('accepted', 'signed', 'broadcast')
    order by created_at, id limit ${most}
  ) oldest`;

/** The transactions that have waited longest, oldest first. Reads only waiting rows. */
export async function readWaitingTransactions(pool: pg.Pool): Promise<WaitingTransaction[]> {
  const { rows } = await pool.query<WaitingTransaction>(statement);
  return rows;
}
