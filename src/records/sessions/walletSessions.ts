import { and, eq, sql } from 'drizzle-orm';
import { type Address, type Hex, isAddressEqual, recoverMessageAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import type { Database } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { walletChallenges, walletSessions } from '../../platform/database/tables/wallets.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';
import { createSecret, hashSecret, isSecret } from './secretText.ts';

/** The time that a wallet has to sign. */
const challengeSeconds = 300;
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
 * Opens a session for the wallet that signed a challenge. A challenge is valid once.
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
  const [taken] = await database
    .delete(walletChallenges)
    .where(isOpen)
    .returning({ id: walletChallenges.id });
  if (!taken) throw refuse();
  const token = createSecret('wallet');
  const [session] = await database
    .insert(walletSessions)
    .values({
      id: createId('wse'),
      tokenHash: hashSecret(token),
      wallet: challenge.wallet,
      expiresAt: sql`now() + ${lifetimeSeconds} * interval '1 second'`,
    })
    .returning(sessionColumns);
  if (!session) throw new Error('a session of a wallet was not stored');
  return { session, token };
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
