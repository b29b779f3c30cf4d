import type { Address } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { relayerWallets } from '../../platform/database/tables/relayerWallets.ts';

/** How long an overdue wallet report is still used. */
const silence = `interval '60 seconds'`;

/** A wallet that can send now, and the most simulated gas for which it can; null before any worker's report, or while its signer rests. */
export type FundedWallet = { readonly address: Address; readonly payableGas: bigint | null };
export type WalletColumns = RowAs<typeof relayerWallets, { wallet: 'address'; payable_gas: 'payable_gas' }>;

/**
 * The query for the `wallet` that simulations on a chain run as: the active one with the most funds and a
 * recent report by a worker. No row if the chain has none.
 */
export function walletQuery(chainIdSql: string): string {
  return `select sender.address as wallet, sender.payable_gas from service.relayer_wallets sender
    where sender.chain_id = ${chainIdSql} and sender.status = 'active'
      and greatest(sender.lease_until, sender.updated_at) > now() - ${silence}
    order by sender.balance desc limit 1`;
}

/** The wallet that simulations run as; undefined if the chain has none. */
export async function findWallet(database: Database, chainId: number): Promise<FundedWallet | undefined> {
  const [found] = await runPrepared<WalletColumns>(database.$client, walletQuery('$1'), [chainId]);
  return found && readWallet(found);
}

export function readWallet({ wallet: address, payable_gas }: WalletColumns): FundedWallet {
  return { address, payableGas: payable_gas === null ? null : BigInt(payable_gas) };
}
