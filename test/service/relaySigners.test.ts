import { type Address, type Hex, parseGwei } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createKeySigner } from '../../src/platform/signers/keySigner.ts';
import { openKmsSigner } from '../../src/platform/signers/kmsSigner.ts';
import { type Signer, SigningError } from '../../src/platform/signers/signer.ts';
import { claimRemotely } from '../../src/worker/relay/claimRemotely.ts';
import { createClaimTurns } from '../../src/worker/relay/claimTurns.ts';
import {
  createKmsServer,
  type KmsServer,
  type KmsTreatment,
  kmsCredentials,
  kmsRegion,
} from '../support/kmsServer.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';
import { waitUntil } from '../support/waitUntil.ts';

const times = { requestMs: 3_000, attempts: 2, signMs: 10_000 };
/** Where some requests are never answered. */
const quickTimes = { requestMs: 600, attempts: 2, signMs: 5_000 };

let world: RelayWorld;
const servers: KmsServer[] = [];
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', kmsCredentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', kmsCredentials.secretAccessKey);
  world = await createRelayWorld();
});
afterEach(async () => {
  await world.reset();
  for (const server of servers.splice(0)) await server.close();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await world?.close();
});

/** A funded wallet whose key is in KMS. */
async function createKmsWallet(treat?: (at: number) => KmsTreatment, kmsTimes = times) {
  const [key = generatePrivateKey()] = await world.createWallets(1);
  const server = await createKmsServer(key, (operation, at) =>
    operation === 'Sign' ? (treat?.(at) ?? 'answer') : 'answer',
  );
  servers.push(server);
  const { keyId, endpoint } = server;
  const kmsKey = { keyId, region: kmsRegion, endpoint };
  const open = () =>
    waitUntil('KMS gives the public key', () => openKmsSigner(kmsKey, kmsTimes).catch(passSigningError));
  return { server, open, address: server.address };
}

/** A key that cannot be opened is tried again, as the worker does. */
function passSigningError(error: unknown): undefined {
  if (!(error instanceof SigningError)) throw error;
  return undefined;
}

/** Expects one mint per recipient, and no wallet nonce that was skipped or wasted. */
async function expectExactlyOnce(rows: readonly { recipient: Address }[], wallets: readonly Address[]) {
  const counts = await world.countMints();
  expect(rows.filter(({ recipient }) => counts.get(recipient) !== 1)).toEqual([]);
  for (const wallet of wallets) expect(await world.readFillers(wallet)).toEqual([]);
}

test('a wallet whose key is in KMS sends accepted rows, each once', async () => {
  const { server, open, address } = await createKmsWallet();
  await world.startRelay({ keys: [], awaited: [open()] });
  const rows = await world.accept(40);
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  await expectExactlyOnce(rows, [address]);
  expect((await world.readRow(rows[0]?.id ?? '')).wallet).toBe(address);
  expect(server.count('Sign')).toBeGreaterThanOrEqual(40);
});

test('while one signer does not answer, other wallets send, stored rows go on, and its rows are not lost', async () => {
  const held = Promise.withResolvers<void>();
  const kms = await createKmsWallet(() => held.promise);
  const [key = '0x' as Hex] = await world.createWallets(1);
  world.startIndexing();
  await world.startRelay({ keys: [key], awaited: [patient(kms.open)] });
  const owner = await waitUntil(
    'the wallet is held',
    async () => (await world.readWallet(kms.address))?.lease_owner ?? undefined,
  );
  await waitUntil('KMS is asked', async () => {
    await world.accept(1);
    return kms.server.count('Sign') > 0;
  });
  const rows = await world.accept(30);
  // The signer still has not answered: its rows wait, and all others are mined and indexed.
  await world.waitForAll(
    rows.map(({ id }) => id),
    'mined',
  );
  expect((await world.readWallet(kms.address))?.lease_owner).toBe(owner);
  held.resolve();
  await waitUntil('nothing is left', async () => {
    const { rows: open } = await world.pool.query(
      `select 1 from service.transactions where state <> 'mined'`,
    );
    return open.length === 0;
  });
});

/** A signer that retries for longer than a test runs. */
function patient(open: () => Promise<Signer>): Promise<Signer> {
  return open().then((signer) => ({
    ...signer,
    sign: async (hash) => {
      for (;;) {
        const signature = await signer.sign(hash).catch(() => undefined);
        if (signature) return signature;
      }
    },
  }));
}

test.each<[string, KmsTreatment]>([
  ['throttled', 'throttle'],
  ['in error', 'fail'],
  ['cut off', 'cut'],
  ['silent', new Promise(() => {})],
])(
  'where KMS is %s now and then, everything is sent once and no nonce is lost',
  async (_, treatment) => {
    const treat = (at: number) => (at % 5 < 2 ? treatment : 'answer');
    const { open, address } = await createKmsWallet(treat, treatment instanceof Promise ? quickTimes : times);
    await world.startRelay({ keys: [], awaited: [open()] });
    const rows = await world.accept(12);
    await world.waitForMints(rows.map(({ recipient }) => recipient));
    await expectExactlyOnce(rows, [address]);
    expect((await world.readWallet(address))?.next_nonce).toBe('12');
    // On a busy machine good answers come too late as well.
  },
  300_000,
);

test('a row that a signer permanently refuses is signed by another wallet', async () => {
  const kms = await createKmsWallet(() => 'deny');
  await world.startRelay({ keys: [], awaited: [kms.open()] });
  const rows = await world.accept(5);
  await waitUntil('KMS has refused', () => kms.server.count('Sign') > 0);
  const [key = '0x' as Hex] = await world.createWallets(1);
  await world.startRelay({ keys: [key] });
  await world.waitForMints(rows.map(({ recipient }) => recipient));
  await expectExactlyOnce(rows, [kms.address]);
  expect((await world.readWallet(kms.address))?.next_nonce).toBe('0');
});

test("while the signer of an agreement's wallet fails, another wallet sends its next input, and the first is not unfunded", async () => {
  let isAway = false;
  const kms = await createKmsWallet(() => (isAway ? 'fail' : 'answer'));
  world.startIndexing();
  await world.startRelay({ keys: [], awaited: [kms.open()] });
  const first = await world.acceptOne({ kind: 'input' });
  await world.waitForState(first.id, 'mined');
  expect((await world.readRow(first.id)).wallet).toBe(kms.address);
  isAway = true;
  const { key, address } = await world.createWallet();
  await world.startRelay({ keys: [key] });
  const next = await world.acceptOne({ kind: 'input' });
  await world.waitForState(next.id, 'mined');
  expect((await world.readRow(next.id)).wallet).toBe(address);
  expect((await world.readWallet(kms.address))?.status).toBe('active');
});

test('a lease lost while the signer is asked leaves nothing of its signatures', async () => {
  const held = Promise.withResolvers<void>();
  const kms = await createKmsWallet(() => held.promise);
  const first = await world.startRelay({ keys: [], awaited: [patient(kms.open)] });
  const row = await world.acceptOne();
  await waitUntil('KMS is asked', () => kms.server.count('Sign') > 0);
  await world.pool.query(
    `update service.relayer_wallets set lease_owner = 'another', lease_until = now() + interval '1 hour' where address = $1`,
    [kms.address],
  );
  held.resolve();
  await waitUntil('the row is free again', async () => {
    const query = 'select 1 from service.transactions where id = $1 and reserved_until is null';
    return (await world.pool.query(query, [row.id])).rowCount === 1;
  });
  const { state, attempts } = await world.readRow(row.id);
  expect({ state, attempts }).toEqual({ state: 'accepted', attempts: [] });
  await first.close();
  const [key = '0x' as Hex] = await world.createWallets(1);
  await world.startRelay({ keys: [key] });
  await world.waitForMints([row.recipient]);
});

/** Claims the accepted rows for a wallet at the nonce 3, whose signer is asked while something changes. */
async function claimDuring(change: (wallet: Address) => Promise<unknown>) {
  const { pool, chainId } = world;
  const owner = 'the test';
  const signer = createKeySigner(generatePrivateKey());
  const { address } = signer;
  await pool.query(
    `insert into service.relayer_wallets (chain_id, address, status, balance, next_nonce, lease_owner, lease_until)
     values ($1, $2, 'active', 1, 3, $3, now() + interval '1 hour')`,
    [chainId, address, owner],
  );
  const changed: Signer = {
    ...signer,
    sign: async (hash) => {
      await change(address);
      return signer.sign(hash);
    },
  };
  const claim = await claimRemotely(pool, {
    wallet: { address, signer: changed, funds: 10n ** 20n, room: 10, load: 0, unpayable: new Set() },
    holder: { chainId, owner, leaseMs: 3_600_000 },
    limit: 10,
    earliest: 0n,
    excluded: [],
    waived: [],
    full: [],
    turns: createClaimTurns(),
    findTerms: () => ({ gas: 100_000n, fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n } }),
  });
  return { claim, address };
}

test('a counter that moves while the signer is asked leaves nothing signed for the former nonce', async () => {
  const row = await world.acceptOne();
  const { claim, address } = await claimDuring((wallet) =>
    world.pool.query('update service.relayer_wallets set next_nonce = 5 where address = $1', [wallet]),
  );
  expect(claim).toMatchObject({ asked: 1, signed: [], nextNonces: new Map() });
  expect(await world.readRow(row.id)).toMatchObject({ state: 'accepted', attempts: [] });
  expect((await world.readWallet(address))?.next_nonce).toBe('5');
});

test('a row that another process signs and gives back while the signer is asked is not signed once more', async () => {
  const { pool, chainId } = world;
  const row = await world.acceptOne();
  const other = '0x00000000000000000000000000000000000000A1';
  const { claim, address } = await claimDuring(() =>
    pool.query(
      `insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction,
         gas, max_fee_per_gas, max_priority_fee_per_gas)
       values ($1, $2, $3, 0, '0x1', '0x', 1, 1, 1)`,
      [row.id, chainId, other],
    ),
  );
  expect(claim).toMatchObject({ asked: 1, signed: [], nextNonces: new Map([[address, 3]]) });
  const { state, attempts } = await world.readRow(row.id);
  expect({ state, wallets: attempts.map(({ wallet }) => wallet) }).toEqual({
    state: 'accepted',
    wallets: [other],
  });
});

test('a row that ends while the signer is asked leaves no gap in the nonces', async () => {
  const held = Promise.withResolvers<void>();
  const kms = await createKmsWallet(() => held.promise);
  const rows = await world.accept(6);
  await world.startRelay({ keys: [], awaited: [patient(kms.open)] });
  await waitUntil('KMS is asked', () => kms.server.count('Sign') >= 6);
  const gone = rows[2];
  await world.pool.query(`update service.transactions set state = 'failed' where id = $1`, [gone?.id]);
  held.resolve();
  const others = rows.filter((row) => row !== gone);
  await world.waitForMints(others.map(({ recipient }) => recipient));
  await expectExactlyOnce(others, [kms.address]);
  expect((await world.readWallet(kms.address))?.next_nonce).toBe('5');
  expect((await world.readRow(gone?.id ?? '')).attempts).toEqual([]);
});

test('a row that another process has reserved for its signer is signed by nobody else', async () => {
  const [reserved, other] = [await world.acceptOne(), await world.acceptOne()];
  await world.pool.query(
    `update service.transactions set reserved_until = now() + interval '1 hour' where id = $1`,
    [reserved.id],
  );
  const { key } = await world.createWallet();
  await world.startRelay({ keys: [key] });
  await world.waitForMints([other.recipient]);
  expect(await world.readRow(reserved.id)).toMatchObject({ state: 'accepted', attempts: [] });
});

test('rows reserved by a dead process are signed by another', async () => {
  const row = await world.acceptOne();
  await world.pool.query(
    `update service.transactions set reserved_until = now() + interval '2 seconds' where id = $1`,
    [row.id],
  );
  const [key = '0x' as Hex] = await world.createWallets(1);
  await world.startRelay({ keys: [key] });
  await world.waitForMints([row.recipient]);
});

test('fees are raised with a key in KMS, and while KMS is away the same bytes are sent again', async () => {
  let isAway = false;
  const kms = await createKmsWallet(() => (isAway ? 'fail' : 'answer'));
  await world.client.setAutomine(false);
  try {
    await world.startRelay({
      keys: [],
      awaited: [kms.open()],
      settings: { replaceAfterMs: 500, resendAfterMs: 200 },
    });
    const row = await world.acceptOne();
    await world.waitForState(row.id, 'broadcast');
    isAway = true;
    const asked = kms.server.count('Sign');
    await waitUntil('KMS was asked in vain', async () => {
      await world.mineAt('40');
      return kms.server.count('Sign') > asked + 1;
    });
    const { attempts } = await world.readRow(row.id);
    isAway = false;
    const raised = await waitUntil('the fees are raised', async () => {
      const now = await world.readRow(row.id);
      return now.attempts.length > attempts.length && now;
    });
    expect(raised.attempts.at(-1)?.fee).toBeGreaterThan(attempts.at(-1)?.fee ?? parseGwei('1000'));
    expect(new Set(raised.attempts.map(({ nonce }) => nonce))).toEqual(new Set([0]));
    await waitUntil('it is mined', async () => {
      await world.client.mine({ blocks: 1 });
      return (await world.countMints()).get(row.recipient) === 1;
    });
  } finally {
    await world.client.setAutomine(true);
    await world.mineAt('1');
  }
});

test('a signer that comes late takes part then, and its wallet is not retired meanwhile', async () => {
  const kms = await createKmsWallet();
  const coming = Promise.withResolvers<Signer>();
  const earlier = await world.startRelay({ keys: [], awaited: [kms.open()] });
  await waitUntil(
    'the wallet is active',
    async () => (await world.readWallet(kms.address))?.status === 'active',
  );
  await earlier.close();
  const [key = '0x' as Hex] = await world.createWallets(1);
  await world.startRelay({ keys: [key], awaited: [coming.promise], settings: { leaseMs: 300 } });
  const first = await world.acceptOne();
  await world.waitForMints([first.recipient]);
  expect((await world.readWallet(kms.address))?.status).toBe('active');
  coming.resolve(await kms.open());
  await waitUntil('the late one signs too', async () => {
    await world.accept(4);
    return kms.server.count('Sign') > 0;
  });
});
