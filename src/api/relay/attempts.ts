import { sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Queryable } from '../database/database.ts';
import type { Fees } from './fees.ts';

/** One signed form of a transaction, or of nothing but the use of a nonce (`transactionId` null). */
export type Attempt = {
  transactionId: string | null;
  chainId: number;
  wallet: Address;
  nonce: number;
  gas: bigint;
  fees: Fees;
  hash: Hex;
  raw: Hex;
};

/** Keeps the bytes before they leave the process. Bytes that were signed before are the same attempt. */
export async function insertAttempts(database: Queryable, attempts: readonly Attempt[]): Promise<void> {
  const rows = attempts.map(({ transactionId, chainId, wallet, nonce, gas, fees, hash, raw }) => ({
    transaction_id: transactionId,
    chain_id: chainId,
    wallet,
    wallet_nonce: nonce,
    tx_hash: hash,
    raw_transaction: raw,
    gas: String(gas),
    max_fee_per_gas: String(fees.maxFeePerGas),
    max_priority_fee_per_gas: String(fees.maxPriorityFeePerGas),
  }));
  await database.execute(sql`
    insert into service.transaction_attempts
      (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction, gas, max_fee_per_gas, max_priority_fee_per_gas)
    select transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction, gas, max_fee_per_gas, max_priority_fee_per_gas
    from json_populate_recordset(null::service.transaction_attempts, ${JSON.stringify(rows)}::json)
    on conflict (chain_id, tx_hash) do nothing`);
}

/** The highest fees that were ever signed for each of a wallet's nonces from the given one on. */
export async function readSignedFees(
  database: Queryable,
  { chainId, wallet, from }: { chainId: number; wallet: Address; from: number },
): Promise<Map<number, Fees>> {
  const { rows } = await database.execute<{ nonce: string; fee: string; tip: string }>(sql`
    select wallet_nonce as nonce, max(max_fee_per_gas) as fee, max(max_priority_fee_per_gas) as tip
    from service.transaction_attempts
    where chain_id = ${chainId} and wallet = ${wallet} and wallet_nonce >= ${from}
    group by wallet_nonce`);
  return new Map(
    rows.map(({ nonce, fee, tip }) => [
      Number(nonce),
      { maxFeePerGas: BigInt(fee), maxPriorityFeePerGas: BigInt(tip) },
    ]),
  );
}
