import type { Address } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';

/** What a wallet's worker last said of it is believed for so long after it was to say something again. */
const silence = `interval '60 seconds'`;

/** A wallet that can send now, and the most gas that a simulation may use for it to do so; null while no worker has said. */
export type FundedWallet = { readonly address: Address; readonly payableGas: bigint | null };
/** The columns of `walletQuery`. */
export type WalletColumns = { wallet: Address; payable_gas: string | null };

/**
 * The query for the `wallet` that simulations on a chain run as: the active one with the most funds, of which a worker has said so
 * lately. No row where the chain has none.
 */
export function walletQuery(chainIdSql: string): string {
  return `select sender.address as wallet, sender.payable_gas from service.relayer_wallets sender
    where sender.chain_id = ${chainIdSql} and sender.status = 'active'
      and greatest(sender.lease_until, sender.updated_at) > now() - ${silence}
    order by sender.balance desc limit 1`;
}

/** The wallet that simulations run as; undefined where the chain has none. */
export async function findWallet(database: Database, chainId: number): Promise<FundedWallet | undefined> {
  const [found] = await runPrepared<WalletColumns>(database.$client, walletQuery('$1'), [chainId]);
  return found && readWallet(found);
}

export function readWallet({ wallet: address, payable_gas }: WalletColumns): FundedWallet {
  return { address, payableGas: payable_gas === null ? null : BigInt(payable_gas) };
}
