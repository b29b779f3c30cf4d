import { drizzle } from 'drizzle-orm/node-postgres';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { createSession } from '../../../src/records/sessions/createSession.ts';
import { endSession } from '../../../src/records/sessions/endSession.ts';
import { listSessions } from '../../../src/records/sessions/listSessions.ts';
import {
  createPortalLink,
  listPortalLinks,
  revokePortalLink,
} from '../../../src/records/sessions/portalLinks.ts';
import { createChallenge, openWalletSession } from '../../../src/records/sessions/walletSessions.ts';
import { createLink, listLinks, noteUse, revokeLink } from '../../../src/records/sharing/manageLinks.ts';
import { createFixture, type Fixture } from '../projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { freezeStatistics, measureRows, planCases, prepareStatistics } from '../support/planCases.ts';
import { insertRecords } from '../support/rows.ts';

/** Sessions and links of each kind that one principal has ended, and that have expired by themselves. */
const past = process.env.PLANS_ALL === undefined ? 5_000 : 20_000;
/** Of each kind in force. */
const open = 20;
/** The ids of a principal, of its key and of its record are the same here. */
const busy = 'busy';
const [principalId, keyId, recordId] = [busy, busy, busy];
/** Whose rows are all that the database has statistics of at first. */
const others = ['a', 'b', 'c', 'd', 'e', 'f'];
const tables = ['sessions', 'portal_links', 'signing_links', 'signing_link_uses', 'wallet_sessions'].map(
  (name) => `service.${name}`,
);
const account = privateKeyToAccount(generatePrivateKey());
const limits = { sessions: 1_000, sessionIdleSeconds: 3_600 };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool } = fixture;
  for (const name of [busy, ...others]) {
    await pool.query('insert into service.principals (id, name) values ($1, $1)', [name]);
    await pool.query('insert into service.api_keys (id, principal_id, key_hash) values ($1, $1, $1)', [name]);
    await insertRecords(pool, { id: name }, [{ id: name }]);
  }
  for (const name of others)
    await insertLinks(name, 'first', { count: 10, expires: '1 hour', ended: 'null', used: 'null' });
  await freezeStatistics(pool, tables);
  // Ended, or used up, long before they expire; and never ended, but expired. All are newer than those in force.
  await insertLinks(busy, 'ended', { count: past, expires: '1 day', ended: 'now()', used: 'null' });
  await insertLinks(busy, 'used', { count: past, expires: '1 day', ended: 'now()', used: 'now()' });
  await insertLinks(busy, 'expired', { count: past, expires: '-1 second', ended: 'null', used: 'null' });
  await insertLinks(busy, 'open', { count: open, expires: '1 hour', ended: 'null', used: 'null' });
  // As many as a link keeps.
  await pool.query(
    `insert into service.signing_link_uses (link_id, kind, used_at)
    select $1 || ' ended ' || at % 200 + 1, 'opened', now() - interval '1 hour' from generate_series(1, $2::int) as at`,
    [busy, past],
  );
  await pool.query(
    `insert into service.wallet_sessions (id, token_hash, wallet, expires_at)
    select at::text, md5(at::text), $1, now() + interval '1 hour' from generate_series(1, $2::int) as at`,
    [account.address, past],
  );
});
afterAll(() => fixture.close());

async function insertLinks(
  owner: string,
  name: string,
  { count, expires, ended, used }: { count: number; expires: string; ended: string; used: string },
): Promise<void> {
  const { pool } = fixture;
  const isOpen = ended === 'null' && !expires.startsWith('-');
  const values = `select '${owner} ${name} ' || at as id, md5('${owner} ${name} ' || at) as secret,
      now() - at * interval '1 millisecond' - interval '${isOpen ? 1 : 0} minutes' as created_at,
      now() + interval '${expires}' as expires_at, ${ended}::timestamptz as ended_at, ${used}::timestamptz as used_at
    from generate_series(1, ${count}) as at`;
  await pool.query(
    `insert into service.sessions (id, token_hash, principal_id, key_id, created_at, expires_at, ended_at)
    select id, secret, $1, $1, created_at, expires_at, ended_at from (${values}) of`,
    [owner],
  );
  await pool.query(
    `insert into service.portal_links (id, secret_hash, principal_id, key_id, created_at, expires_at, used_at, ended_at)
    select id, secret, $1, $1, created_at, expires_at, used_at, case when used_at is null then ended_at end from (${values}) of`,
    [owner],
  );
  await pool.query(
    `insert into service.signing_links (id, secret_hash, principal_id, record_id, may, created_at, expires_at, ended_at)
    select id, secret, $1, $1, 'read', created_at, expires_at, ended_at from (${values}) of`,
    [owner],
  );
}

describe.each(planCases)('with $state statistics and $mode,', ({ state, mode }) => {
  let explained: ExplainedPool;
  beforeAll(async () => {
    await prepareStatistics(fixture.pool, state, tables);
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode });
  });
  afterAll(() => explained.pool.end());

  const measure = (work: (database: ReturnType<typeof connect>) => Promise<unknown>) =>
    measureRows(explained, () => work(connect()));
  const connect = () => drizzle(explained.pool, drizzleOptions);
  /** Each in force is read, and its key is looked up. */
  const most = 10 * open;

  test('a session is created, and sessions are listed, without reading those that ended', async () => {
    const created = await measure(async (database) => {
      const { session } = await createSession(database, { principalId, keyId, capabilities: null }, limits);
      await endSession(database, { id: session.id, principalId });
    });
    expect(created.rowsRead, created.plans).toBeLessThan(most);
    const listed = await measure(async (database) => {
      const { page } = await listSessions(database, { principalId, limit: 100 });
      expect(page).toHaveLength(open);
    });
    expect(listed.rowsRead, listed.plans).toBeLessThan(most);
  });

  test('a portal link is created, and those that wait are listed, without reading used or ended ones', async () => {
    const created = await measure(async (database) => {
      const link = { principalId, keyId, capabilities: null, expiresInSeconds: 60 };
      const { link: stored } = await createPortalLink(database, link, limits);
      await revokePortalLink(database, { id: stored.id, principalId });
    });
    expect(created.rowsRead, created.plans).toBeLessThan(most);
    const listed = await measure(async (database) => {
      const { page } = await listPortalLinks(database, { principalId, limit: 100 });
      expect(page).toHaveLength(open);
    });
    expect(listed.rowsRead, listed.plans).toBeLessThan(most);
  });

  test('a use of a link is stored without reading those of others', async () => {
    const noted = await measure(async (database) => {
      await noteUse(database, { linkId: `${busy} ended 7`, kind: 'deployment' });
      await noteUse(database, { linkId: `${busy} ended 7`, kind: 'opened' });
    });
    expect(noted.rowsRead, noted.plans).toBeLessThan(1_000);
  });

  test('a session of a wallet is opened without reading those of others', async () => {
    const { address: wallet } = account;
    const opened = await measure(async (database) => {
      const { id: challengeId, message } = await createChallenge(database, {
        wallet,
        chainId: 1,
        publicBaseUrl: 'https://x.example',
      });
      const signature = await account.signMessage({ message });
      await openWalletSession(database, { challengeId, signature, lifetimeSeconds: 60 });
    });
    expect(opened.rowsRead, opened.plans).toBeLessThan(most);
  });

  test('a signing link is created, and active ones are listed, without reading those that ended', async () => {
    const created = await measure(async (database) => {
      const link = { principalId, recordId, keyId, may: 'read', expiresInSeconds: 60 } as const;
      const { link: stored } = await createLink(database, link, 100);
      await revokeLink(database, { id: stored.id, principalId, recordId });
    });
    expect(created.rowsRead, created.plans).toBeLessThan(most);
    const listed = await measure(async (database) => {
      const { page } = await listLinks(database, { principalId, recordId, limit: 100 });
      expect(page).toHaveLength(open);
    });
    expect(listed.rowsRead, listed.plans).toBeLessThan(most);
  });
});
