import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashSecret } from '../../../src/records/sessions/secretText.ts';
import {
  createChallenge,
  endWalletSession,
  findWalletSession,
  openWalletSession,
} from '../../../src/records/sessions/walletSessions.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createFixture, type Fixture } from '../projector/support/setup.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

async function login(account: PrivateKeyAccount): Promise<string> {
  const { database } = fixture;
  const { address: wallet } = account;
  const challenge = await createChallenge(database, {
    wallet,
    chainId: 1,
    publicBaseUrl: 'https://x.example',
  });
  const signature = await account.signMessage({ message: challenge.message });
  const opened = await openWalletSession(database, {
    challengeId: challenge.id,
    signature,
    lifetimeSeconds: 3_600,
  });
  return opened.token;
}

const isOpen = async (token: string) => (await findWalletSession(fixture.database, token)) !== undefined;

test('a wallet has a hundred sessions, of which the oldest ends for the next one', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const neighbour = await login(privateKeyToAccount(generatePrivateKey()));
  const tokens: string[] = [];
  for (let time = 0; time < 99; time++) tokens.push(await login(account));
  tokens.push(...(await Promise.all([login(account), login(account), login(account)])));
  const open = await Promise.all(tokens.map(isOpen));
  expect(open.slice(0, 2)).toEqual([false, false]);
  expect(open.filter(Boolean)).toHaveLength(100);
  expect(await isOpen(neighbour)).toBe(true);
});

test('of two sessions that are opened at the same time, neither takes the place of the other', async () => {
  const { pool } = fixture;
  const account = privateKeyToAccount(generatePrivateKey());
  const client = await pool.connect();
  const tokens: Promise<string>[] = [];
  try {
    // From now on a login looks for its place, and waits before it takes it.
    await client.query('begin; lock table service.wallet_sessions in share mode');
    for (const waiting of [1, 2]) {
      tokens.push(login(account));
      await waitUntil('the login waits', async () => (await readLockWaits(pool)).length === waiting);
    }
  } finally {
    await client.query('commit');
    client.release();
  }
  expect(await Promise.all((await Promise.all(tokens)).map(isOpen))).toEqual([true, true]);
});

test('a session that has ended makes room for the next one, and no other ends', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const tokens: string[] = [];
  for (let time = 0; time < 100; time++) tokens.push(await login(account));
  const [first = '', ...others] = tokens;
  await endWalletSession(fixture.database, others.pop());
  const last = await login(account);
  expect(await Promise.all([first, ...others, last].map(isOpen))).not.toContain(false);
  const { rows } = await fixture.pool.query(
    'select count(*)::int as count from service.wallet_sessions where wallet = $1',
    [account.address],
  );
  expect(rows[0]?.count).toBe(100);
});

test('a session opens nothing once it has ended or expired, and no other session goes with it', async () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const [ended, expired, kept] = [await login(account), await login(account), await login(account)];
  await endWalletSession(fixture.database, ended);
  await fixture.pool.query('update service.wallet_sessions set expires_at = now() where token_hash = $1', [
    hashSecret(expired),
  ]);
  expect(await Promise.all([ended, expired, kept].map(isOpen))).toEqual([false, false, true]);
});
