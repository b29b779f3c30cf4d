import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import { relayerWallets } from '../database/tables/relayerWallets.ts';
import { type Attempt, insertAttempts, readSignedFees } from './attempts.ts';
import { type Market, raiseFees } from './fees.ts';
import type { SigningContext } from './signClaims.ts';
import type { Wallet } from './wallet.ts';
import { isLeased } from './walletLease.ts';

/** A plain transfer of nothing. */
const transferGas = 21_000n;
const fillersAtOnce = 16;

/**
 * Brings a wallet's counter in line with the chain and with the rows. Ahead of both, it goes down; behind the chain, because
 * somebody else sends with the same key, it goes up. A nonce that no row needs any more, but that holds up others behind it, is
 * used up by a transfer of nothing to the wallet itself. `mined` is how many transactions of the wallet the chain holds in its
 * newest block. Returns the transfers, which are stored and still to be sent.
 */
export async function closeGaps(
  context: SigningContext,
  { wallet, mined, market }: { wallet: Wallet; mined: number; market: Market },
): Promise<Attempt[]> {
  const { database, chainId, owner, settings } = context;
  return database.transaction(async (transaction) => {
    const [row] = await transaction
      .select({ nextNonce: relayerWallets.nextNonce })
      .from(relayerWallets)
      .where(isLeased({ chainId, address: wallet.address, owner }))
      .for('update');
    if (!row) return [];
    const open = await readOpenNonces(transaction, chainId, wallet);
    const floor = Math.max(mined, await readShownNonce(transaction, chainId, wallet));
    const nextNonce = Math.max(floor, ...[...open].map((nonce) => nonce + 1));
    if (nextNonce !== row.nextNonce) {
      await transaction
        .update(relayerWallets)
        .set({ nextNonce, updatedAt: sql`now()` })
        .where(isLeased({ chainId, address: wallet.address, owner }));
    }
    const gaps = nonces(floor, nextNonce).filter((nonce) => !open.has(nonce));
    const earlier = await readSignedFees(transaction, { chainId, wallet: wallet.address, from: floor });
    const fillers = await Promise.all(
      gaps.slice(0, fillersAtOnce).map(async (nonce): Promise<Attempt> => {
        const before = earlier.get(nonce);
        const fees = before ? raiseFees(before, market.fees, settings) : market.fees;
        const call = { to: wallet.address, data: '0x', gas: transferGas, nonce, fees } as const;
        const signed = await wallet.sign(call);
        return {
          transactionId: null,
          chainId,
          wallet: wallet.address,
          gas: transferGas,
          nonce,
          fees,
          ...signed,
        };
      }),
    );
    await insertAttempts(transaction, fillers);
    return fillers;
  });
}

/** Open rows as they are now: some may have been signed since the caller looked. */
async function readOpenNonces(database: Queryable, chainId: number, wallet: Wallet): Promise<Set<number>> {
  const { rows } = await database.execute<{ nonce: string }>(sql`
    select wallet_nonce as nonce from service.transactions
    where chain_id = ${chainId} and wallet = ${wallet.address} and state in ('signed', 'broadcast')`);
  return new Set(rows.map(({ nonce }) => Number(nonce)));
}

/** One more than the highest nonce of this wallet that the index shows used, which a lagging node may not know yet. */
async function readShownNonce(database: Queryable, chainId: number, wallet: Wallet): Promise<number> {
  const { rows } = await database.execute<{ next: string | null }>(sql`
    select max(attempt.wallet_nonce) + 1 as next
    from service.transactions it
    join service.transaction_attempts attempt on attempt.chain_id = it.chain_id and attempt.tx_hash = it.tx_hash
    where it.chain_id = ${chainId} and it.wallet = ${wallet.address} and it.state in ('mined', 'final')
      and it.wallet_nonce >= coalesce((
        select max(newest.wallet_nonce) - 256 from service.transactions newest
        where newest.chain_id = ${chainId} and newest.wallet = ${wallet.address}), 0)`);
  return Number(rows[0]?.next ?? 0);
}

function nonces(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
