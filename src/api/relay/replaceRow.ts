import { sql } from 'drizzle-orm';
import { relayerWallets } from '../database/tables/relayerWallets.ts';
import { type Attempt, insertAttempts } from './attempts.ts';
import { type Market, raiseFees } from './fees.ts';
import type { OpenRow } from './openRows.ts';
import type { SigningContext } from './signClaims.ts';
import type { Wallet } from './wallet.ts';
import { isLeased } from './walletLease.ts';

/**
 * Signs a row again with the same nonce and fees that nodes take for a replacement, so that at most one of its forms can be
 * mined. Undefined where the cap leaves no room, or the row or the wallet is no longer ours.
 */
export async function replaceRow(
  context: SigningContext,
  { wallet, row, market }: { wallet: Wallet; row: OpenRow; market: Market },
): Promise<Attempt | undefined> {
  const { database, chainId, owner, settings } = context;
  const fees = raiseFees(row.fees, market.fees, settings);
  if (fees === row.fees) return undefined;
  const { contract: to, callData: data, gas, nonce } = row;
  const signed = await wallet.sign({ to, data, gas, nonce, fees });
  const attempt = { transactionId: row.id, chainId, wallet: wallet.address, nonce, gas, fees, ...signed };
  return database.transaction(async (transaction) => {
    const [held] = await transaction
      .select({ address: relayerWallets.address })
      .from(relayerWallets)
      .where(isLeased({ chainId, address: wallet.address, owner }))
      .for('update');
    if (!held) return undefined;
    const { rows } = await transaction.execute(sql`
      update service.transactions set tx_hash = ${signed.hash}, updated_at = now()
      where id = ${row.id} and state in ('signed', 'broadcast') and wallet = ${wallet.address} and wallet_nonce = ${nonce}
      returning id`);
    if (rows.length === 0) return undefined;
    await insertAttempts(transaction, [attempt]);
    return attempt;
  });
}
