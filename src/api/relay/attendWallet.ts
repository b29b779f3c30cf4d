import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { relayerWallets } from '../database/tables/relayerWallets.ts';
import { closeGaps } from './closeGaps.ts';
import type { Market } from './fees.ts';
import { type OpenRow, readOpenRows } from './openRows.ts';
import { replaceRow } from './replaceRow.ts';
import { type StoredBytes, sendAttempts } from './sendAttempts.ts';
import { indexDelaySeconds, settlePassed } from './settlePassed.ts';
import type { SigningContext } from './signClaims.ts';
import type { Wallet } from './wallet.ts';
import { isLeased } from './walletLease.ts';

/** So many rows of a wallet are sent again at once: those with the lowest nonces, which hold up all others. */
const resendsAtOnce = 32;
/** Bytes that no node has taken are in other hands for this long: those of whoever signed them. */
const unacceptedSeconds = 1;

/** A wallet of this process, and what it remembers of it between two looks. */
export type AttendedWallet = { wallet: Wallet; hadGaps: boolean };

/**
 * Looks after what a wallet has open: settles what the chain has passed without the index showing it, sends again what no node
 * has or what waits too long, raises fees, and closes gaps in the nonces that are still there at a second look.
 */
export async function attendWallet(
  context: SigningContext & { confirmations: number },
  { attended, market }: { attended: AttendedWallet; market: Market },
): Promise<void> {
  const { client, database, chainId } = context;
  const { wallet } = attended;
  const rows = await readOpenRows(database, { chainId, wallet: wallet.address });
  const mined = await client.getTransactionCount({ address: wallet.address, blockTag: 'latest' });
  for (const row of rows.filter(({ nonce, age }) => nonce < mined && age > indexDelaySeconds)) {
    await settlePassed(context, row);
  }
  const waiting = rows.filter(({ nonce }) => nonce >= mined).slice(0, resendsAtOnce);
  await resend(context, { wallet, waiting, market });

  const open = new Set(rows.map(({ nonce }) => nonce));
  const hasGaps = await differs(context, { wallet: wallet.address, mined, open });
  if (hasGaps && attended.hadGaps) {
    const fillers = await closeGaps(context, { wallet, mined, market });
    await sendAttempts(context, fillers);
  }
  attended.hadGaps = hasGaps;
}

async function resend(
  context: SigningContext,
  { wallet, waiting, market }: { wallet: Wallet; waiting: readonly OpenRow[]; market: Market },
): Promise<void> {
  const { resendAfterSeconds, replaceAfterSeconds } = context.settings;
  const overdue = waiting.filter(({ age, sinceAccepted }) =>
    sinceAccepted === undefined ? age > unacceptedSeconds : sinceAccepted > resendAfterSeconds,
  );
  const attempts: StoredBytes[] = [];
  for (const row of overdue) {
    const isSlow = row.age > replaceAfterSeconds;
    const replacement = isSlow ? await replaceRow(context, { wallet, row, market }) : undefined;
    attempts.push(
      replacement ?? { transactionId: row.id, wallet: wallet.address, hash: row.hash, raw: row.raw },
    );
  }
  await sendAttempts(context, attempts);
}

/** Makes a wallet ready that has just come into this process's hands: what it has, and where its nonces stand. */
export async function adoptWallet(
  context: SigningContext,
  { wallet, market }: { wallet: Wallet; market: Market },
): Promise<void> {
  const mined = await context.client.getTransactionCount({ address: wallet.address, blockTag: 'latest' });
  await sendAttempts(context, await closeGaps(context, { wallet, mined, market }));
  await checkBalance(context, wallet);
}

/** Whether the counter is not what chain and open rows make it. */
async function differs(
  { database, chainId, owner }: SigningContext,
  { wallet, mined, open }: { wallet: Address; mined: number; open: ReadonlySet<number> },
): Promise<boolean> {
  const [row] = await database
    .select({ nextNonce: relayerWallets.nextNonce })
    .from(relayerWallets)
    .where(isLeased({ chainId, address: wallet, owner }));
  if (!row) return false;
  if (row.nextNonce < mined) return true;
  for (let nonce = mined; nonce < row.nextNonce; nonce++) if (!open.has(nonce)) return true;
  return false;
}

/** Reads what the wallet has, and lets it rest where that is too little to send with. */
export async function checkBalance(context: SigningContext, wallet: Wallet): Promise<void> {
  const { client, database, chainId, owner, settings, logger } = context;
  const balance = await client.getBalance({ address: wallet.address });
  const status = balance >= settings.minBalance && balance > 0n ? 'active' : 'unfunded';
  if (status === 'unfunded') {
    logger.error(
      { chainId, wallet: wallet.address, balance: String(balance) },
      'a relayer wallet has too little',
    );
  }
  await database
    .update(relayerWallets)
    .set({ balance, status, updatedAt: sql`now()` })
    .where(isLeased({ chainId, address: wallet.address, owner }));
}
