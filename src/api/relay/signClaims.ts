import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { RelaySettings } from '../config/relaySettings.ts';
import { channels } from '../database/channels.ts';
import type { Database, DatabaseTransaction } from '../database/database.ts';
import { relayerWallets } from '../database/tables/relayerWallets.ts';
import { type Attempt, insertAttempts, readSignedFees } from './attempts.ts';
import { type Claim, claimTransactions } from './claimTransactions.ts';
import { faultPoint } from './faultPoint.ts';
import { type Fees, type Market, raiseFees } from './fees.ts';
import type { Wallet } from './wallet.ts';
import { isLeased } from './walletLease.ts';

export type SigningContext = {
  database: Database;
  client: PublicClient;
  chainId: number;
  owner: string;
  settings: RelaySettings;
  logger: Logger;
};

/** What one wallet may sign at once; bounds how long callers wait behind each other. */
const batchSize = 32;
/** Between the simulation and the block, a transaction may come to cost more: storage that is written for the first time. */
const gasMargin = { percent: 125n, extra: 30_000n };

/**
 * Signs accepted transactions with one wallet: their nonces, their bytes and the wallet's counter are one database transaction,
 * which commits only while the lease is held. Nothing has left the process when this returns.
 */
export async function signClaims(
  context: SigningContext,
  wallet: Wallet,
  market: Market,
): Promise<Attempt[]> {
  const { database, chainId, owner } = context;
  return database.transaction(async (transaction) => {
    const [row] = await transaction
      .select({ nextNonce: relayerWallets.nextNonce, status: relayerWallets.status })
      .from(relayerWallets)
      .where(isLeased({ chainId, address: wallet.address, owner }))
      .for('update');
    if (row?.status !== 'active') return [];
    const limit = Math.min(batchSize, await countFree(transaction, context, wallet));
    if (limit <= 0) return [];
    const claims = await claimTransactions(transaction, { chainId, timestamp: market.timestamp, limit });
    if (claims.length === 0) return [];
    faultPoint('claimed');
    const attempts = await signAll({ context, transaction, wallet, claims, market, from: row.nextNonce });
    await insertAttempts(transaction, attempts);
    await markSigned(transaction, attempts);
    const [fenced] = await transaction
      .update(relayerWallets)
      .set({ nextNonce: row.nextNonce + attempts.length, updatedAt: sql`now()` })
      .where(isLeased({ chainId, address: wallet.address, owner }))
      .returning({ address: relayerWallets.address });
    if (!fenced) throw new Error('the lease of the wallet has ended while it signed');
    return attempts;
  });
}

type Signing = {
  context: SigningContext;
  transaction: DatabaseTransaction;
  wallet: Wallet;
  claims: readonly Claim[];
  market: Market;
  from: number;
};

async function signAll({ context, transaction, wallet, claims, market, from }: Signing): Promise<Attempt[]> {
  const { chainId, settings } = context;
  // A counter that went down signs nonces again; what a node may still hold for them has to be outbid.
  const earlier = await readSignedFees(transaction, { chainId, wallet: wallet.address, from });
  return Promise.all(
    claims.map(async (claim, index): Promise<Attempt> => {
      const nonce = from + index;
      const fees = outbid(earlier.get(nonce), market.fees, settings);
      const gas = await chooseGas(context, wallet, claim);
      const { hash, raw } = await wallet.sign({ to: claim.contract, data: claim.callData, gas, nonce, fees });
      return { transactionId: claim.id, chainId, wallet: wallet.address, nonce, gas, fees, hash, raw };
    }),
  );
}

function outbid(earlier: Fees | undefined, current: Fees, settings: RelaySettings): Fees {
  return earlier ? raiseFees(earlier, current, settings) : current;
}

async function chooseGas({ client }: SigningContext, wallet: Wallet, claim: Claim): Promise<bigint> {
  const estimate =
    claim.gasEstimate ??
    (await client.estimateGas({ account: wallet.address, to: claim.contract, data: claim.callData }));
  return (estimate * gasMargin.percent) / 100n + gasMargin.extra;
}

async function countFree(
  transaction: DatabaseTransaction,
  { chainId, settings }: SigningContext,
  wallet: Wallet,
): Promise<number> {
  const { rows } = await transaction.execute<{ open: number }>(sql`
    select count(*)::int as open from service.transactions
    where chain_id = ${chainId} and wallet = ${wallet.address} and state in ('accepted', 'signed', 'broadcast')`);
  return settings.maxInFlight - (rows[0]?.open ?? 0);
}

async function markSigned(transaction: DatabaseTransaction, attempts: readonly Attempt[]): Promise<void> {
  const rows = attempts.map(({ transactionId, wallet, nonce, hash }) => ({
    id: transactionId,
    wallet,
    nonce,
    hash,
  }));
  await transaction.execute(sql`
    with signed as (
      update service.transactions t
      set state = 'signed', wallet = s.wallet, wallet_nonce = s.nonce, tx_hash = s.hash, updated_at = now()
      from json_to_recordset(${JSON.stringify(rows)}::json) as s(id text, wallet text, nonce bigint, hash text)
      where t.id = s.id
      returning t.id, t.tx_hash)
    , shown as (
      update service.inputs i set tx_hash = signed.tx_hash, updated_at = now()
      from signed where i.transaction_id = signed.id and i.status = 'PENDING'
      returning i.id)
    select pg_notify(${channels.transactionChanged}, id), (select count(*) from shown) from signed`);
}
