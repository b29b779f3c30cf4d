import { sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { DatabaseTransaction } from '../database/database.ts';

/** An accepted transaction, locked until the claiming database transaction ends. */
export type Claim = { id: string; contract: Address; callData: Hex; gasEstimate: bigint | undefined };

/** The oldest accepted transactions that nobody else is signing, and whose permit the next block would still take. */
export async function claimTransactions(
  database: DatabaseTransaction,
  { chainId, timestamp, limit }: { chainId: number; timestamp: bigint; limit: number },
): Promise<Claim[]> {
  const { rows } = await database.execute<{
    id: string;
    contract: Address;
    call_data: Hex;
    gas_estimate: string | null;
  }>(sql`
    select id, contract, call_data, gas_estimate from service.transactions
    where chain_id = ${chainId} and state = 'accepted' and deadline > ${String(timestamp)}::numeric
    order by created_at limit ${limit} for update skip locked`);
  return rows.map((row) => ({
    id: row.id,
    contract: row.contract,
    callData: row.call_data,
    gasEstimate: row.gas_estimate === null ? undefined : BigInt(row.gas_estimate),
  }));
}
