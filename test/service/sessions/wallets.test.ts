import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { sharedRecordShape } from '../../../src/api/shapes/sharingShapes.ts';
import { walletAgreementShape, walletChallengeShape } from '../../../src/api/shapes/walletShapes.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { heldTogether } from '../../support/heldTogether.ts';
import { createCall } from '../support/call.ts';
import { startWorkedService, type WorkedService } from '../support/chainService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount } from '../support/permits.ts';
import { insertRecords } from '../support/rows.ts';
import type { TestPrincipal } from '../support/testService.ts';
import { type Browser, createBrowser } from './support/browser.ts';

let scene: WorkedService;
let lease: Lease;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
  lease = await deployLease(scene.principal, scene);
});
afterAll(() => scene?.close());

const challenge = async (browser: Browser, wallet: string) =>
  walletChallengeShape.parse(
    (await browser.call('POST', '/v0/wallet/challenges', { body: { wallet } })).body.data,
  );

/** A browser with the wallet logged in. */
async function login(account: PrivateKeyAccount) {
  const browser = createBrowser(scene.service.baseUrl);
  const { id: challengeId, message } = await challenge(browser, account.address);
  const body = { challengeId, signature: await account.signMessage({ message }) };
  const answer = await browser.call('POST', '/v0/wallet/sessions', { body });
  return { browser, answer, body };
}

const open = (participantAccess: 'none' | 'read' | 'sign', id = lease.id, by = scene.principal) =>
  by.call('PATCH', `/v0/agreements/${id}`, { body: { participantAccess } });
const listed = async (browser: Browser) =>
  walletAgreementShape.array().parse((await browser.call('GET', '/v0/wallet/agreements')).body.data);
const sharedPath = (path: string, id = lease.id) => `/v0/shared/agreement${path}?agreementId=${id}`;

describe('a wallet logs in', () => {
  test('with a message of this service, that it has signed itself, once', async () => {
    const account = createAccount();
    const { answer, body, browser } = await login(account);
    expect(outcome(answer)).toMatchObject({ status: 200 });
    const session = await browser.call('GET', '/v0/wallet/sessions/current');
    expect(session.body.data).toMatchObject({ wallet: account.address });
    const replayed = await createBrowser(scene.service.baseUrl).call('POST', '/v0/wallet/sessions', { body });
    expect(replayed.status).toBe(401);
    expect((await browser.call('DELETE', '/v0/wallet/sessions/current')).status).toBe(200);
    expect((await browser.call('GET', '/v0/wallet/sessions/current')).status).toBe(401);
  });

  test('signs the service, the wallet and an expiry', async () => {
    const account = createAccount();
    const browser = createBrowser(scene.service.baseUrl);
    const { message } = await challenge(browser, account.address);
    expect(message).toContain(account.address);
    expect(message).toMatch(/^\S+ wants you to sign in with your Ethereum account:\n/);
    expect(message).toMatch(/Expiration Time: \d{4}-/);
  });

  test('not with the signature of another wallet, an expired message, or no message of this service', async () => {
    const [account, other] = [createAccount(), createAccount()];
    const browser = createBrowser(scene.service.baseUrl);
    const made = await challenge(browser, account.address);
    const attempt = (body: object) => browser.call('POST', '/v0/wallet/sessions', { body });
    const foreign = await other.signMessage({ message: made.message });
    expect((await attempt({ challengeId: made.id, signature: foreign })).status).toBe(401);
    const wrongText = await account.signMessage({ message: `${made.message}.` });
    expect((await attempt({ challengeId: made.id, signature: wrongText })).status).toBe(401);
    const signature = await account.signMessage({ message: made.message });
    expect((await attempt({ challengeId: `wch_${'0'.repeat(32)}`, signature })).status).toBe(401);
    const { pool } = scene.service.handle;
    await pool.query('update service.wallet_challenges set expires_at = now() where id = $1', [made.id]);
    expect((await attempt({ challengeId: made.id, signature })).status).toBe(401);
    expect(browser.jar.size).toBe(0);
  });

  test('twice at once with one message gives one session', async () => {
    const account = createAccount();
    const browsers = [createBrowser(scene.service.baseUrl), createBrowser(scene.service.baseUrl)] as const;
    const { id: challengeId, message } = await challenge(browsers[0], account.address);
    const body = { challengeId, signature: await account.signMessage({ message }) };
    const answers = await heldTogether(scene.service.handle.pool, {
      lock: ['select 1 from service.wallet_challenges where id = $1 for update', [challengeId]],
      calls: browsers.map((one) => () => one.call('POST', '/v0/wallet/sessions', { body })),
    });
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('and its session is used by pages of the service alone', async () => {
    const { browser } = await login(lease.tenant);
    const headers = { cookie: browser.cookie() };
    const call = createCall(scene.service.baseUrl);
    expect((await call('GET', '/v0/wallet/agreements', { headers })).status).toBe(403);
    const origin = { ...headers, 'x-agreements-session': '1', origin: 'https://elsewhere.example.com' };
    expect((await call('GET', '/v0/wallet/agreements', { headers: origin })).status).toBe(403);
    const { rows } = await scene.service.handle.pool.query('select * from service.wallet_sessions');
    const [, token = ''] = browser.cookie().split('=');
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
  });
});

describe('an agreement', () => {
  test('is shown to its participants only once its principal lets them in, and as far as it does', async () => {
    const own = await deployLease(scene.principal, scene);
    const { browser } = await login(own.tenant);
    expect(await listed(browser)).toEqual([]);
    expect((await browser.call('GET', sharedPath('', own.id))).status).toBe(404);

    expect((await open('read', own.id)).body.data).toMatchObject({ participantAccess: 'read' });
    expect(await listed(browser)).toMatchObject([{ id: own.id, may: 'read', inputs: [] }]);
    const shown = sharedRecordShape.parse((await browser.call('GET', sharedPath('', own.id))).body.data);
    expect(shown.access).toEqual({ may: 'read' });
    const values = { months: '4', remark: 'gladly', code: 'A' };
    const { body } = await own.sign({ account: own.tenant, inputId: 'accept', values });
    expect((await browser.call('POST', sharedPath('/input', own.id), { body })).status).toBe(403);

    await open('sign', own.id);
    expect(await listed(browser)).toMatchObject([
      {
        id: own.id,
        may: 'sign',
        inputs: expect.arrayContaining([{ inputId: 'accept', displayName: 'accept' }]),
      },
    ]);
    const unsigned = { inputId: 'accept', values, signer: own.tenant.address };
    const signable = await browser.call('POST', sharedPath('/input-typed-data', own.id), { body: unsigned });
    expect(signable.body.data).toMatchObject({ verdict: { ok: true } });
    expect((await browser.call('POST', sharedPath('/input', own.id), { body })).status).toBe(200);

    await open('none', own.id);
    expect(await listed(browser)).toEqual([]);
    expect((await browser.call('GET', sharedPath('/state', own.id))).status).toBe(404);
  });

  test('is shown only to wallets that it names, and an unknown one answers the same', async () => {
    await open('sign');
    const { browser } = await login(createAccount());
    expect(await listed(browser)).toEqual([]);
    const refusals = [];
    for (const id of [lease.id, `agr_${'0'.repeat(32)}`]) {
      const refused = await browser.call('GET', sharedPath('', id));
      refusals.push(outcome(refused));
      // It counts as any other.
      expect(refused.headers.has('ratelimit')).toBe(true);
    }
    expect(refusals[0]).toMatchObject({ status: 404 });
    expect(refusals[1]).toEqual(refusals[0]);
  });

  test('takes no input of another wallet from the one that has logged in', async () => {
    const own = await deployLease(scene.principal, scene);
    await open('sign', own.id);
    const { browser } = await login(own.landlord);
    const values = { months: '4', remark: 'gladly', code: 'A' };
    const { body } = await own.sign({ account: own.tenant, inputId: 'accept', values });
    const refused = await browser.call('POST', sharedPath('/input', own.id), { body });
    expect(outcome(refused)).toMatchObject({ status: 403 });
  });

  test('is opened by its principal alone, and closed while that may not read it itself', async () => {
    const stranger: TestPrincipal = await scene.service.createPrincipal();
    expect((await open('sign', lease.id, stranger)).status).toBe(403);
    const owner = await scene.service.createPrincipal();
    const own = await deployLease(owner, scene);
    await open('sign', own.id, owner);
    const { browser } = await login(own.tenant);
    expect((await browser.call('GET', sharedPath('/state', own.id))).status).toBe(200);
    const { database } = scene.service.handle;
    for (const [scope, isOpen] of [
      ['agreements.*', false],
      ['agreements.read', true],
    ] as const) {
      await setEntitlement(database, {
        principal: owner.id,
        scope,
        mode: isOpen ? 'free_allowlist' : 'blocked',
      });
      expect((await browser.call('GET', sharedPath('/state', own.id))).status).toBe(isOpen ? 200 : 403);
      expect(await listed(browser)).toHaveLength(isOpen ? 1 : 0);
    }
  });

  test('is listed by what its own principal may do, whatever that of another one may', async () => {
    const [owner, blocked] = [await scene.service.createPrincipal(), await scene.service.createPrincipal()];
    const { database, pool } = scene.service.handle;
    await setEntitlement(database, { principal: blocked.id, scope: 'agreements.read', mode: 'blocked' });
    const account = createAccount();
    const ids = ['agr_listed', 'agr_hidden'] as const;
    for (const [at, principal] of [owner, blocked].entries())
      await insertRecords(pool, principal, [{ id: ids[at], participant_access: 'read' }]);
    await pool.query(
      'insert into service.record_wallets (record_id, wallet, created_at) select unnest($1::text[]), $2, now()',
      [ids, account.address.toLowerCase()],
    );
    const { browser } = await login(account);
    expect((await listed(browser)).map(({ id }) => id)).toEqual(['agr_listed']);
  });

  test('that no wallet can name is refused as such, whatever else is looked up with it', async () => {
    const { browser } = await login(lease.tenant);
    for (const id of ['%00', `${lease.id}%00`, '%F0%90', 'x'.repeat(65)])
      expect((await browser.call('GET', sharedPath('', id))).status, id).toBe(400);
  });

  test('shows a wallet nothing of the principal, nor of other agreements', async () => {
    await open('read');
    const { browser } = await login(lease.tenant);
    for (const path of [
      sharedPath(''),
      sharedPath('/state'),
      sharedPath('/inputs'),
      '/v0/wallet/agreements',
    ]) {
      const text = JSON.stringify((await browser.call('GET', path)).body);
      for (const hidden of [scene.principal.id, scene.principal.name, 'userId', 'email'])
        expect(text).not.toContain(hidden);
    }
    for (const path of ['/v0/agreements', `/v0/agreements/${lease.id}`, '/v0/events', '/v0/sessions'])
      expect((await browser.call('GET', path)).status).toBe(401);
  });

  test('lets in whom its deployment says, from the first moment', async () => {
    const landlord = createAccount();
    const body = {
      agreement: lease.agreement,
      displayName: 'Prepared',
      chainId: 59141,
      initValues: { landlord: landlord.address, tenant: lease.tenant.address, rent: '5' },
      signer: landlord.address,
      participantAccess: 'sign',
    };
    const draft = recordShape.parse(
      (await scene.principal.call('POST', '/v0/agreements/drafts', { body })).body.data,
    );
    const { browser } = await login(landlord);
    expect(await listed(browser)).toMatchObject([{ id: draft.id, status: 'Draft', awaitsSignature: true }]);
    const unsigned = { signer: landlord.address };
    const signable = await browser.call('POST', sharedPath('/deploy-typed-data', draft.id), {
      body: unsigned,
    });
    expect(signable.body.data).toMatchObject({ verdict: { ok: true } });
  });

  test('many of one wallet come in pages, each once', async () => {
    const account = createAccount();
    const { pool } = scene.service.handle;
    await pool.query(
      `insert into service.record_wallets (record_id, wallet, created_at)
       select id, $2, created_at from service.records where principal_id = $1 limit 3`,
      [scene.principal.id, account.address.toLowerCase()],
    );
    const { browser } = await login(account);
    const first = await browser.call('GET', '/v0/wallet/agreements?limit=2');
    const page = walletAgreementShape.array().parse(first.body.data);
    const { nextCursor } = first.body.pageInfo as { nextCursor: string };
    const rest = await browser.call('GET', `/v0/wallet/agreements?limit=2&cursor=${nextCursor}`);
    const ids = [...page, ...walletAgreementShape.array().parse(rest.body.data)].map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    const { browser: other } = await login(createAccount());
    expect((await other.call('GET', `/v0/wallet/agreements?cursor=${nextCursor}`)).status).toBe(400);
  });
});
