import { hash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { type Address, type Hex, isAddressEqual, recoverMessageAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import type { Database, DatabaseTransaction } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';
import { walletChallenges, walletSessions } from '../../platform/database/tables/wallets.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { createSecret, hashSecret, isSecret } from './secretText.ts';

/** The time that a wallet has to sign. */
const challengeSeconds = 300;
/** Sessions of one wallet, with those that have ended and are not forgotten. */
const sessionsPerWallet = 100;
const statement =
  'Sign in to see the agreements that name this wallet. This sends no transaction and costs nothing.';

export type WalletSession = { readonly id: string; readonly wallet: Address; readonly expiresAt: Date };

/**
 * Creates a message for a wallet to sign (EIP-4361), bound to this service, valid for one login within five
 * minutes.
 */
export async function createChallenge(
  database: Database,
  { wallet, chainId, publicBaseUrl }: { wallet: Address; chainId: number; publicBaseUrl: string },
): Promise<{ id: string; message: string; expiresAt: Date }> {
  const id = createId('wch');
  const issuedAt = new Date();
  const expirationTime = new Date(issuedAt.getTime() + challengeSeconds * 1_000);
  const message = createSiweMessage({
    domain: new URL(publicBaseUrl).host,
    uri: `${publicBaseUrl}/console`,
    address: wallet,
    chainId,
    version: '1',
    statement,
    nonce: id.replace('_', ''),
    issuedAt,
    expirationTime,
  });
  await database.insert(walletChallenges).values({
    id,
    wallet,
    message,
    expiresAt: sql`now() + ${challengeSeconds} * interval '1 second'`,
  });
  return { id, message, expiresAt: expirationTime };
}

/**
 * Opens a session for the wallet that signed a challenge. A challenge is valid once. If the wallet has a hundred
 * sessions, its oldest one ends.
 *
 * @returns with its token, which cannot be read again.
 * @throws AccessError `unauthorized` for an unknown, used or expired challenge, and for a signature of another wallet.
 */
export async function openWalletSession(
  database: Database,
  {
    challengeId,
    signature,
    lifetimeSeconds,
  }: { challengeId: string; signature: Hex; lifetimeSeconds: number },
): Promise<{ session: WalletSession; token: string }> {
  const isOpen = and(eq(walletChallenges.id, challengeId), sql`${walletChallenges.expiresAt} > now()`);
  const [challenge] = await database.select().from(walletChallenges).where(isOpen);
  if (!challenge || !(await hasSigned(challenge, signature))) throw refuse();
  return inTransaction(database, async (transaction) => {
    const [taken] = await transaction
      .delete(walletChallenges)
      .where(isOpen)
      .returning({ id: walletChallenges.id });
    if (!taken) throw refuse();
    const token = createSecret('wallet');
    const opened = {
      tokenHash: hashSecret(token),
      wallet: challenge.wallet,
      createdAt: sql`now()`,
      expiresAt: sql`now() + ${lifetimeSeconds} * interval '1 second'`,
      endedAt: null,
    };
    const [session] = await transaction
      .insert(walletSessions)
      .values({ ...opened, id: await takeSessionId(transaction, challenge.wallet) })
      .onConflictDoUpdate({ target: walletSessions.id, set: opened })
      .returning(sessionColumns);
    if (!session) throw new Error('a session of a wallet was not stored');
    return { session, token };
  });
}

/**
 * The id for a wallet's next session: one without a session in force, or that of its oldest session. The ids
 * are derived from the wallet, so that there are no more of them, and that they are found by key. Other logins of
 * the wallet wait until the end of the transaction.
 */
async function takeSessionId(transaction: DatabaseTransaction, wallet: Address): Promise<string> {
  const ids = Array.from(
    { length: sessionsPerWallet },
    (_, place) => `wse_${hash('sha256', `${wallet.toLowerCase()} ${place}`).slice(0, 32)}`,
  );
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${ids[0]}, 0))`);
  const [id] = await idsOf(
    transaction,
    sql`select own.id from unnest(${arrayOf(ids)}::text[]) own(id)
      left join lateral (
        select created_at, ended_at is null and expires_at > now() as is_in_force
        from service.wallet_sessions where wallet_sessions.id = own.id limit 1) held on true
      order by coalesce(held.is_in_force, false), held.created_at nulls first limit 1`,
  );
  if (id === undefined) throw new Error('a wallet has no sessions');
  return id;
}

/** The active session of a token, if there is one. */
export async function findWalletSession(
  database: Database,
  token: string,
): Promise<WalletSession | undefined> {
  if (!isSecret('wallet', token)) return undefined;
  const [session] = await database.select(sessionColumns).from(walletSessions).where(inForce(token));
  return session;
}

/** Ends the session of a token, if there is one. */
export async function endWalletSession(database: Database, token: string | undefined): Promise<void> {
  if (token === undefined || !isSecret('wallet', token)) return;
  await database.update(walletSessions).set({ endedAt: sql`now()` }).where(inForce(token));
}

const sessionColumns = {
  id: walletSessions.id,
  wallet: walletSessions.wallet,
  expiresAt: walletSessions.expiresAt,
};

function inForce(token: string) {
  return and(
    eq(walletSessions.tokenHash, hashSecret(token)),
    sql`${walletSessions.endedAt} is null and ${walletSessions.expiresAt} > now()`,
  );
}

async function hasSigned(
  { message, wallet }: { message: string; wallet: Address },
  signature: Hex,
): Promise<boolean> {
  try {
    return isAddressEqual(await recoverMessageAddress({ message, signature }), wallet);
  } catch {
    // Not every 65 bytes are a valid signature.
    return false;
  }
}

function refuse(): AccessError {
  return new AccessError(
    'unauthorized',
    'The message was not signed by its wallet, was already used, or has expired.',
  );
}
