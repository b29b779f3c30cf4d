import { drizzle } from 'drizzle-orm/node-postgres';
import pino from 'pino';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readStanding } from '../../src/api/admission/readStanding.ts';
import { drizzleOptions } from '../../src/platform/database/database.ts';
import { createKeySigner } from '../../src/platform/signers/keySigner.ts';
import { readQuotas } from '../../src/records/quotas/quotas.ts';
import { findConsumedPermits } from '../../src/worker/projector/findConsumedPermits.ts';
import { expireTransactions, finishTransactions } from '../../src/worker/projector/settleTransactions.ts';
import { createAnswerLog } from '../../src/worker/relay/answerLog.ts';
import { claimRows } from '../../src/worker/relay/claimRows.ts';
import { createClaimTurns } from '../../src/worker/relay/claimTurns.ts';
import { markBroadcast } from '../../src/worker/relay/markBroadcast.ts';
import { readSlots, type Slot } from '../../src/worker/relay/readSlots.ts';
import { chainId, createFixture, type Fixture } from './projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from './support/explainedPool.ts';
import { freezeStatistics } from './support/planCases.ts';
import { seedEffects, seededAgreement, seededHash, seedOutbox, showAgreement } from './support/seedOutbox.ts';

/**
 * Numbers of rows: included in the statistics, sent long ago, under way, waiting to be signed, and mined
 * since the last fold.
 */
const early = 50;
const history = 40_000;
const underWay = 2_000;
const waiting = 2_000;
const mined = 100;
const batch = 50;
/** Waiting rows of one principal that floods the queue; half of them are in one agreement. */
const flood = process.env.PLANS_ALL === undefined ? 30_000 : 100_000;

/** Blocks that were folded; they are kept. */
const folded = 30_000;

/** The block of the rows mined since the last fold. */
const range = { chainId, added: [BigInt(history / 100)], through: 10n ** 9n };

const signer = createKeySigner(generatePrivateKey());
const wallet = {
  address: signer.address,
  signer,
  funds: 10n ** 20n,
  room: 10_000,
  load: 0,
  unpayable: new Set<string>(),
};
const holder = { chainId, owner: 'the test', leaseMs: 600_000 };
const modes = ['force_custom_plan', 'force_generic_plan', 'auto'];
let fixture: Fixture;

/**
 * The statistics date from an early moment without any row under way. Fast-growing tables look like this
 * between two runs of ANALYZE.
 */
beforeAll(async () => {
  fixture = await createFixture();
  const { pool, index } = fixture;
  await index.deploy();
  const rows = { chainId, wallet: wallet.address };
  await seedOutbox(pool, { ...rows, from: 0, count: early, state: 'final' });
  await seedEffects(pool, { chainId, from: 0, count: early });
  const { rows: tables } = await pool.query<{ name: string }>(
    `select schemaname || '.' || relname as name from pg_stat_user_tables`,
  );
  await freezeStatistics(
    pool,
    tables.map(({ name }) => name),
  );
  const former = {
    from: early,
    count: history - early,
    state: 'final',
    principalId: 'sent long ago',
  } as const;
  await seedOutbox(pool, { ...rows, ...former });
  await seedEffects(pool, { chainId, from: early, count: history - early });
  await seedOutbox(pool, { ...rows, from: history, count: underWay, state: 'signed' });
  await seedOutbox(pool, { ...rows, from: history + underWay, count: waiting, state: 'accepted' });
  await seedEffects(pool, { chainId, from: history, count: mined });
  await showAgreement(pool, { chainId, folded });
  await pool.query(
    `insert into service.relayer_wallets (chain_id, address, status, next_nonce, balance, lease_owner, lease_until)
    values ($1, $2, 'active', $3, 0, $4, now() + interval '1 hour')`,
    [chainId, wallet.address, history + underWay, holder.owner],
  );
});
afterAll(() => fixture.close());

describe.each(modes)('planned with %s,', (mode) => {
  let explained: ExplainedPool;
  beforeAll(() => {
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode });
  });
  afterAll(() => explained.pool.end());

  /** Runs the work, and returns how many table rows its statements read in total. */
  const measure = async (work: () => Promise<unknown>) => {
    explained.takeEfforts();
    await work();
    const efforts = explained.takeEfforts();
    const rowsRead = efforts.reduce((sum, effort) => sum + effort.rowsRead, 0);
    return { rowsRead, plans: efforts.map(({ rowsRead, plan }) => `${rowsRead}: ${plan}`).join('\n') };
  };

  test('signing a batch reads a few rows for each of its own', async () => {
    const terms = { gas: 100_000n, fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n } };
    const options = {
      wallets: [wallet],
      holder,
      limit: batch,
      earliest: 0n,
      excluded: [],
      turns: createClaimTurns(),
      waived: [],
      full: [],
    };
    const claim = () => claimRows(explained.pool, { ...options, findTerms: () => terms });
    const { rowsRead, plans } = await measure(async () => expect((await claim()).signed).toHaveLength(batch));
    // Each agreement has eight open rows, and each of these rows looks up the others five times.
    expect(rowsRead, plans).toBeLessThan(50 * batch);
  });

  test('admission of an input reads a few rows for each open row of its agreement', async () => {
    const { contract, signer } = await seededAgreement(fixture.pool);
    const query = {
      ...{ chainId, contract, signer, storingInputs: [], gasKind: '', asker: 'somebody' },
      ...{ principalId: undefined, known: new Set<string>(), knownMoment: undefined },
    };
    const { rowsRead, plans } = await measure(async () => {
      const standing = await readStanding(explained.pool, query);
      expect(standing?.open.length).toBeGreaterThan(4);
    });
    expect(rowsRead, plans).toBeLessThan(100);
  });

  test('noting what nodes say reads a few rows for each hash', async () => {
    const log = createAnswerLog({ pool: explained.pool, chainId, logger: pino({ level: 'silent' }) });
    const numbers = Array.from({ length: batch }, (_, at) => history + mined + at);
    const hashes = await Promise.all(numbers.map((number) => seededHash(fixture.pool, number)));
    log.note(hashes.map((hash) => ({ hash, answer: 'accepted', text: undefined })));
    const { rowsRead, plans } = await measure(() => log.close());
    expect(rowsRead, plans).toBeLessThan(20 * batch);
  });

  test('calling rows broadcast reads a few rows for each that is under way', async () => {
    const wallets = [{ address: wallet.address, minedCount: history }];
    const { rowsRead, plans } = await measure(() =>
      markBroadcast(explained.pool, { chainId, wallets, quietMs: 0 }),
    );
    expect(rowsRead, plans).toBeLessThan(5 * underWay);
  });

  test('reading the nonces under way reads a few rows for each', async () => {
    const wallets = [{ address: wallet.address, from: history + mined }];
    let slots: Slot[] = [];
    const reading = await measure(async () => {
      slots = await readSlots(explained.pool, { chainId, wallets });
    });
    expect(slots.length).toBeGreaterThanOrEqual(underWay - mined);
    expect(reading.rowsRead, reading.plans).toBeLessThan(5 * slots.length);
  });

  test('settling the effects of new blocks reads a few rows for each', async () => {
    const database = drizzle(explained.pool, drizzleOptions);
    const { rowsRead, plans } = await measure(async () =>
      expect(await findConsumedPermits(database, { ...range, isWhole: false })).toHaveLength(mined),
    );
    expect(rowsRead, plans).toBeLessThan(10 * mined);
  });

  test('settling all open rows reads only those, and an effect only if there is one', async () => {
    const database = drizzle(explained.pool, drizzleOptions);
    const { rowsRead, plans } = await measure(async () =>
      expect(await findConsumedPermits(database, { ...range, isWhole: true })).toHaveLength(mined),
    );
    expect(rowsRead, plans).toBeLessThan(5 * (underWay + waiting + mined));
  });

  test('looking for expired rows, and marking settled ones final, reads next to nothing', async () => {
    const database = drizzle(explained.pool, drizzleOptions);
    const head = { number: 10n ** 9n, hash: '0x', timestamp: 3_000_000_000n } as const;
    const { rowsRead, plans } = await measure(async () => {
      expect(await expireTransactions(database, { chainId, confirmed: head })).toEqual([]);
      await finishTransactions(database, { chainId, through: 10n ** 9n });
    });
    expect(rowsRead, plans).toBeLessThan(10);
  });
});

describe.each(modes)('with 100,000 open rows of one principal, planned with %s,', (mode) => {
  let explained: ExplainedPool;
  beforeAll(async () => {
    const rows = {
      chainId,
      wallet: wallet.address,
      count: flood / 2,
      principalId: 'flood',
      firstAgreement: 500,
    } as const;
    const from = history + underWay + waiting;
    const { rowCount } = await fixture.pool.query(
      `select 1 from service.transactions where principal_id = 'flood' limit 1`,
    );
    if (rowCount === 0) {
      await seedOutbox(fixture.pool, { ...rows, from, state: 'accepted', agreements: 1 });
      await seedOutbox(fixture.pool, {
        ...rows,
        from: from + flood / 2,
        state: 'accepted',
        agreements: 50_000,
      });
    }
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode });
  });
  afterAll(() => explained.pool.end());

  test("reading a principal's quotas reads neither what it sent long ago nor open rows of others", async () => {
    const database = drizzle(explained.pool, drizzleOptions);
    explained.takeEfforts();
    const states = await readQuotas(database, 'sent long ago');
    expect(states.find(({ quota }) => quota === 'openTransactions')?.used).toBe(0);
    const [effort] = explained.takeEfforts();
    expect(effort?.rowsRead, effort?.plan).toBeLessThan(100);
  });

  test('signing a batch reads a few rows for each of its own, and takes as many of others', async () => {
    const from = history + underWay + waiting + flood;
    const rows = {
      chainId,
      wallet: wallet.address,
      from,
      count: batch,
      principalId: `other ${mode}`,
      firstAgreement: 60_000,
    };
    await seedOutbox(fixture.pool, { ...rows, from: from + batch * modes.indexOf(mode), state: 'accepted' });
    const terms = { gas: 100_000n, fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n } };
    const options = {
      wallets: [wallet],
      holder,
      limit: batch,
      earliest: 0n,
      excluded: [],
      waived: [],
      full: [],
    };
    const claim = () =>
      claimRows(explained.pool, { ...options, turns: createClaimTurns(), findTerms: () => terms });
    explained.takeEfforts();
    const { signed } = await claim();
    const efforts = explained.takeEfforts();
    const rowsRead = efforts.reduce((sum, effort) => sum + effort.rowsRead, 0);
    expect(rowsRead, efforts.map(({ plan }) => plan).join('\n')).toBeLessThan(100 * batch);
    const { rows: owners } = await fixture.pool.query<{ owner: string; count: number }>(
      `select principal_id as owner, count(*)::int as count from service.transactions where id = any($1) group by 1`,
      [signed.map(({ id }) => id)],
    );
    const counts = new Map(owners.map(({ owner, count }) => [owner, count]));
    expect(counts.get('flood')).toBeLessThanOrEqual(batch / 2);
    expect(counts.get(`other ${mode}`)).toBeGreaterThanOrEqual(batch / 5);
  });
});
