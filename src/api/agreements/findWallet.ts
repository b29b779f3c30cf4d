import type { Address } from 'viem';
import type { Database } from '../database/database.ts';
import { runPrepared } from '../database/runPrepared.ts';

/** What a wallet's worker last said of it is believed for so long after it was to say something again. */
const silence = `interval '60 seconds'`;

/**
 * The query for the `wallet` that simulations on a chain run as: the active one with the most funds, of which a worker has said so
 * lately. No row where the chain has none.
 */
export function walletQuery(chainIdSql: string): string {
  return `select sender.address as wallet from service.relayer_wallets sender
    where sender.chain_id = ${chainIdSql} and sender.status = 'active'
      and greatest(sender.lease_until, sender.updated_at) > now() - ${silence}
    order by sender.balance desc limit 1`;
}

/** The wallet that simulations run as; undefined where the chain has none. */
export async function findWallet(database: Database, chainId: number): Promise<Address | undefined> {
  const [found] = await runPrepared<{ wallet: Address }>(database.$client, walletQuery('$1'), [chainId]);
  return found?.wallet;
}
