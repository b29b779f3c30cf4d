import { sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Queryable } from '../database/database.ts';
import type { Fees } from './fees.ts';

/** A signed transaction that the index does not show yet, with its newest bytes. */
export type OpenRow = {
  id: string;
  kind: 'deploy' | 'input';
  contract: Address;
  callData: Hex;
  wallet: Address;
  nonce: number;
  hash: Hex;
  raw: Hex;
  gas: bigint;
  fees: Fees;
  /** Seconds since the newest bytes were signed, and since a node last took them (undefined: none has). */
  age: number;
  sinceAccepted: number | undefined;
};

/** A wallet's open rows in the order of their nonces. */
export async function readOpenRows(
  database: Queryable,
  { chainId, wallet }: { chainId: number; wallet: Address },
): Promise<OpenRow[]> {
  const { rows } = await database.execute<{
    id: string;
    kind: 'deploy' | 'input';
    contract: Address;
    call_data: Hex;
    nonce: string;
    hash: Hex;
    raw: Hex;
    gas: string;
    fee: string;
    tip: string;
    age: number;
    since_accepted: number | null;
  }>(sql`
    select it.id, it.kind, it.contract, it.call_data, it.wallet_nonce as nonce, newest.tx_hash as hash,
      newest.raw_transaction as raw, newest.gas, newest.max_fee_per_gas as fee, newest.max_priority_fee_per_gas as tip,
      extract(epoch from now() - greatest(newest.created_at, it.updated_at))::float as age,
      extract(epoch from now() - newest.accepted_at)::float as since_accepted
    from service.transactions it
    cross join lateral (
      select * from service.transaction_attempts attempt
      where attempt.transaction_id = it.id and attempt.wallet = it.wallet and attempt.wallet_nonce = it.wallet_nonce
      order by attempt.id desc limit 1) newest
    where it.chain_id = ${chainId} and it.wallet = ${wallet} and it.state in ('signed', 'broadcast')
    order by it.wallet_nonce`);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    contract: row.contract,
    callData: row.call_data,
    wallet,
    nonce: Number(row.nonce),
    hash: row.hash,
    raw: row.raw,
    gas: BigInt(row.gas),
    fees: { maxFeePerGas: BigInt(row.fee), maxPriorityFeePerGas: BigInt(row.tip) },
    age: row.age,
    sinceAccepted: row.since_accepted ?? undefined,
  }));
}

/** Every hash under which the transaction may have been mined with its present nonce. */
export async function readHashes(database: Queryable, row: OpenRow): Promise<Hex[]> {
  const { rows } = await database.execute<{ hash: Hex }>(sql`
    select tx_hash as hash from service.transaction_attempts
    where transaction_id = ${row.id} and wallet = ${row.wallet} and wallet_nonce = ${row.nonce}`);
  return rows.map(({ hash }) => hash);
}
