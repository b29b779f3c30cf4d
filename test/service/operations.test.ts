import { get } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { type Anvil, startAnvil } from '../../src/cli/devtools/anvil.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { supportedChains } from '../../src/protocol/chains.ts';
import { createAnvilClient } from '../support/anvilClient.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createStandInIndex, type StandInIndex } from './projector/support/standInIndex.ts';
import { createCall } from './support/call.ts';
import { exchange } from './support/exchange.ts';
import { startTestApi, startTestService, type TestService } from './support/testService.ts';

const chainId = 59141;
const testnets = supportedChains('testnet').map(({ chainId: id }) => id);
const wallet = `0x${'a1'.repeat(20)}`;

/** Short, because one test waits until this lag has passed. */
const allowedLagMs = 2_500;

let anvil: Anvil;
let service: TestService;
let index: StandInIndex;
let internalUrl: string;
beforeAll(async () => {
  const port = await findFreePort();
  internalUrl = `http://127.0.0.1:${port}`;
  anvil = await startAnvil({ chainId });
  service = await startTestService({
    rpcUrls: { [chainId]: anvil.rpcUrl },
    internal: { host: '127.0.0.1', port, isNamed: true, allowedLagMs, allowedHosts: [] },
  });
  index = createStandInIndex({ pool: service.handle.pool, factory: `0x${'f0'.repeat(20)}` });
});
afterAll(async () => {
  await service?.close();
  await anvil?.stop();
});

const positionShape = z.object({ blockNumber: z.int(), timestamp: z.string(), lagSeconds: z.int() });
const readyShape = z.strictObject({
  status: z.enum(['ready', 'unready']),
  checks: z.record(z.string(), z.boolean()),
  reasons: z.array(z.string()),
  degraded: z.array(z.string()),
  endpoints: z.array(
    z.strictObject({
      chainId: z.int(),
      host: z.string(),
      status: z.enum(['ok', 'failing', 'limited', 'otherChain', 'lagging']),
      blockNumber: z.int().nullable(),
      behindBlocks: z.int(),
      restsForSeconds: z.int(),
      failuresInARow: z.int(),
    }),
  ),
  chains: z.array(
    z.strictObject({
      chainId: z.int(),
      index: positionShape.nullable(),
      folded: positionShape.nullable(),
      rebuilding: z.strictObject({ blockNumber: z.int(), since: z.string() }).nullable(),
      silentSince: z.string().nullable(),
      outbox: z.strictObject({
        depth: z.int(),
        oldestAgeSeconds: z.int(),
        byState: z.record(z.string(), z.int()),
      }),
      wallets: z.array(
        z.strictObject({
          address: z.string(),
          status: z.string(),
          balanceWei: z.string(),
          nextNonce: z.int(),
          underWay: z.int(),
        }),
      ),
    }),
  ),
});

/**
 * Reads `/ready` once it reports the expected database status. On a busy machine the database may seem down
 * for a moment.
 */
function readReady({ isDatabaseThere = true } = {}) {
  return waitUntil(`the database ${isDatabaseThere ? 'answers' : 'is away'}`, async () => {
    const response = await fetch(`${internalUrl}/ready`);
    const ready = { httpStatus: response.status, ...readyShape.parse(await response.json()) };
    return ready.checks.database === isDatabaseThere && ready;
  });
}

/**
 * The value of one line of the metrics, once they report the expected database status; undefined if there is
 * no such line.
 */
async function readMetric(line: string, { isDatabaseThere = true } = {}): Promise<number | undefined> {
  const lines = await waitUntil(`the metrics ${isDatabaseThere ? 'have' : 'lack'} the chains`, async () => {
    const response = await fetch(`${internalUrl}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await response.text();
    return text.includes('agreements_index_silent{') === isDatabaseThere && text.split('\n');
  });
  const found = lines.find((text) => text.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length));
}

/**
 * Shows an index without rows. The chain's head is one minute old in the index and five minutes old in the
 * projection.
 */
async function showIndex(): Promise<void> {
  await index.deploy();
  const { pool } = service.handle;
  await pool.query(
    `insert into chain_index.heads (chain_id, number, hash, timestamp)
     values ($1, 12, '0x1', extract(epoch from now())::bigint - 60)`,
    [chainId],
  );
  await pool.query(
    `insert into service.projections (chain_id, head_number, head_hash, head_timestamp)
     values ($1, 12, '0x1', now() - interval '5 minutes') on conflict do nothing`,
    [chainId],
  );
}

/** Reports, as the indexer does, that no node of the chain answers it. Returns how to end that. */
async function silenceChain(): Promise<() => Promise<unknown>> {
  const { pool } = service.handle;
  await pool.query('create schema if not exists indexer');
  await pool.query(
    'create table indexer.silent_chains (chain_id integer primary key, since timestamptz not null default now())',
  );
  await pool.query('insert into indexer.silent_chains (chain_id) values ($1)', [chainId]);
  return () => pool.query('drop table indexer.silent_chains');
}

async function addTransaction(id: string, state: string, ageSeconds: number): Promise<void> {
  await service.handle.pool.query(
    `insert into service.transactions
       (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash, deadline, call_data, state, created_at)
     values ($1, $2, 'deploy', '0xc', $1, 0, $1, '0x', 1, '0x', $3, now() - $4 * interval '1 second')`,
    [id, chainId, state, ageSeconds],
  );
}

test('rare events are counted from 0, so that the first one is an increase', async () => {
  for (const chain of testnets) {
    for (const reach of ['confirmed', 'unconfirmed'])
      expect(await readMetric(`agreements_reorganisations_total{chain="${chain}",reach="${reach}"}`)).toBe(0);
    expect(await readMetric(`agreements_reorganised_events_total{chain="${chain}"}`)).toBe(0);
  }
  expect(await readMetric('agreements_temporal_firings_total')).toBe(0);
  for (const outcome of ['sent', 'skipped', 'failed', 'retried'])
    expect(await readMetric(`agreements_mails_total{outcome="${outcome}"}`)).toBe(0);
  for (const outcome of ['replica', 'late', 'cancelled', 'refused', 'away'])
    expect(await readMetric(`agreements_replica_reads_total{outcome="${outcome}"}`)).toBe(0);
  for (const status of ['retry_pending', 'succeeded', 'failed'])
    expect(await readMetric(`agreements_delivery_attempt_duration_seconds_count{status="${status}"}`)).toBe(
      0,
    );
});

describe('readiness', () => {
  test('waits for the views of the index, and is there with them', async () => {
    expect(await readReady()).toMatchObject({
      httpStatus: 503,
      status: 'unready',
      checks: { database: true, migrations: true, index: false, running: true },
      reasons: ['the index is not built yet'],
    });
    await showIndex();
    const ready = await readReady();
    expect(ready).toMatchObject({
      httpStatus: 200,
      status: 'ready',
      checks: { database: true, migrations: true, index: true, current: true, running: true },
      reasons: [],
    });
    expect(ready.chains.map((chain) => chain.chainId).toSorted()).toEqual(testnets.toSorted());
  });

  test("has position and lag, waiting outbox rows, and the wallets' funds", async () => {
    await showIndex();
    const { pool } = service.handle;
    await addTransaction('txn_1', 'accepted', 10);
    await addTransaction('txn_2', 'broadcast', 300);
    await addTransaction('txn_3', 'mined', 900);
    await addTransaction('txn_4', 'failed', 9_000);
    await pool.query(
      `insert into service.relayer_wallets (chain_id, address, status, balance, next_nonce)
       values ($1, $2, 'unfunded', 12345678901234567890, 7) on conflict do nothing`,
      [chainId, wallet],
    );
    const { chains } = await readReady();
    const chain = chains.find((candidate) => candidate.chainId === chainId);
    expect(chain).toEqual({
      chainId,
      index: { blockNumber: 12, timestamp: expect.any(String), lagSeconds: expect.any(Number) },
      folded: { blockNumber: 12, timestamp: expect.any(String), lagSeconds: expect.any(Number) },
      rebuilding: null,
      silentSince: null,
      outbox: {
        depth: 2,
        oldestAgeSeconds: expect.any(Number),
        byState: { accepted: 1, broadcast: 1, mined: 1 },
      },
      wallets: [
        {
          address: wallet,
          status: 'unfunded',
          balanceWei: '12345678901234567890',
          nextNonce: 7,
          underWay: 0,
        },
      ],
    });
    expect(chain?.index?.lagSeconds).toBeGreaterThanOrEqual(60);
    expect(chain?.index?.lagSeconds).toBeLessThan(120);
    expect(chain?.folded?.lagSeconds).toBeGreaterThanOrEqual(300);
    expect(chain?.outbox.oldestAgeSeconds).toBeGreaterThanOrEqual(300);
    expect(chain?.outbox.oldestAgeSeconds).toBeLessThan(400);

    const labels = `chain="${chainId}"`;
    expect(await readMetric(`agreements_index_block{${labels}}`)).toBe(12);
    expect(await readMetric(`agreements_index_lag_seconds{${labels}}`)).toBeGreaterThanOrEqual(60);
    expect(await readMetric(`agreements_outbox_transactions{${labels},state="broadcast"}`)).toBe(1);
    expect(await readMetric(`agreements_outbox_oldest_age_seconds{${labels}}`)).toBeGreaterThanOrEqual(300);
    expect(await readMetric(`agreements_wallet_balance_wei{${labels},wallet="${wallet}"}`)).toBe(
      12345678901234567000,
    );
    expect(await readMetric(`agreements_wallet_next_nonce{${labels},wallet="${wallet}"}`)).toBe(7);
    expect(await readMetric(`agreements_wallet_active{${labels},wallet="${wallet}"}`)).toBe(0);
    expect(await readMetric('agreements_ready')).toBe(1);
    const { endpoints } = await readReady();
    expect(endpoints.map(({ chainId: id }) => id).toSorted()).toEqual(testnets.toSorted());
    const [endpoint] = endpoints.filter(({ chainId: id }) => id === chainId);
    expect(endpoint).toMatchObject({ status: 'ok', blockNumber: 0, behindBlocks: 0 });
    // Shows only the host of an endpoint's URL: the rest may contain its key.
    expect(endpoint?.host).toMatch(/^[\w.-]+:\d+$/);
    const ofEndpoint = `${labels},endpoint="${endpoint?.host}"`;
    expect(await readMetric(`agreements_rpc_endpoint_up{${ofEndpoint}}`)).toBe(1);
    expect(await readMetric(`agreements_rpc_requests_total{${ofEndpoint},outcome="failed"}`)).toBe(0);
    expect(await readMetric(`agreements_rpc_endpoint_behind_blocks{${ofEndpoint}}`)).toBe(0);
    await waitUntil(
      'it is seen that the index is not late',
      async () => (await readMetric(`agreements_index_late_seconds{${labels}}`)) === 0,
    );
    expect(await readMetric('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  test('names a chain whose nodes do not answer the indexer, and stays ready for the others', async () => {
    await showIndex();
    const endSilence = await silenceChain();
    const ready = await readReady();
    expect(ready.httpStatus).toBe(200);
    const ofChain = ({ degraded }: Pick<typeof ready, 'degraded'>) =>
      degraded.filter((line) => line.startsWith(`chain ${chainId}: `));
    expect(ofChain(ready)).toEqual([expect.stringContaining('no node has answered the indexer since 20')]);
    expect(
      ready.chains.filter(({ silentSince }) => silentSince !== null).map((chain) => chain.chainId),
    ).toEqual([chainId]);
    expect(await readMetric(`agreements_index_silent{chain="${chainId}"}`)).toBe(1);
    await endSilence();
    expect(ofChain(await readReady())).toEqual([]);
    expect(await readMetric(`agreements_index_silent{chain="${chainId}"}`)).toBe(0);
  });

  test('names the chains of which this process reaches no node, and stays ready for the others', async () => {
    await showIndex();
    const unreached = testnets.filter((id) => id !== chainId);
    const expected = unreached.map((id) => `chain ${id}: none of its nodes answers this process`);
    const ready = await waitUntil('their nodes have failed often enough', async () => {
      const found = await readReady();
      return found.degraded.length >= expected.length && found;
    });
    expect(ready.degraded.toSorted()).toEqual(expected.toSorted());
    expect(ready.httpStatus).toBe(200);
  });

  test('is not there while the tables are older than the program', async () => {
    await showIndex();
    const { pool } = service.handle;
    const { rows } = await pool.query<{ id: number; created_at: string }>(
      'update service.migrations set created_at = created_at - 1 where created_at = (select max(created_at) from service.migrations) returning id',
    );
    expect(await readReady()).toMatchObject({
      httpStatus: 503,
      checks: { migrations: false, database: true },
      reasons: ['the tables are older than this program'],
    });
    await pool.query('update service.migrations set created_at = created_at + 1 where id = $1', [
      rows[0]?.id,
    ]);
    expect(await readReady()).toMatchObject({ httpStatus: 200, checks: { migrations: true } });
  });
});

describe('a database that is away', () => {
  test('is reported at once, by health and readiness, and gone as soon as it is back', async () => {
    await showIndex();
    const name = new URL(service.databaseUrl).pathname.slice(1);
    const admin = new pg.Client({ connectionString: inject('postgresUrl') });
    await admin.connect();
    const callHealth = () => createCall(service.baseUrl)('GET', '/v0/health');
    try {
      await admin.query(`alter database ${name} allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      const health = await waitUntil('health is bad', async () => {
        const answer = await callHealth();
        return answer.status === 503 ? answer : undefined;
      });
      expect(health.body).toEqual({
        status: 'unavailable',
        service: 'agreements',
        timestamp: expect.any(String),
      });
      expect(await readReady({ isDatabaseThere: false })).toMatchObject({
        httpStatus: 503,
        status: 'unready',
        checks: { database: false },
        reasons: ['the database does not answer, or takes no writes'],
        chains: [],
      });
      expect(await readMetric('agreements_ready', { isDatabaseThere: false })).toBe(0);
      const indexBlock = `agreements_index_block{chain="${chainId}"}`;
      expect(await readMetric(indexBlock, { isDatabaseThere: false })).toBeUndefined();
    } finally {
      await admin.query(`alter database ${name} allow_connections true`);
      await admin.end();
    }
    await waitUntil('health is good', async () => (await callHealth()).status === 200);
    expect(await readReady()).toMatchObject({ httpStatus: 200, status: 'ready' });
  });
});

describe('requests', () => {
  test('are counted by route and status, however many paths there are', async () => {
    const { call } = await service.createPrincipal();
    for (const id of ['agr_1', 'agr_2', 'agr_3']) await call('GET', `/v0/agreements/${id}`);
    for (const path of ['/a', '/b', '/v0/c']) await call('GET', path);
    await call('PUT', '/v0/agreements/agr_1');
    await createCall(service.baseUrl)('PURGE', '/a');
    const count = (labels: string) => readMetric(`http_request_duration_seconds_count{${labels}}`);
    expect(await count('method="GET",route="/v0/agreements/:id",status="404"')).toBe(3);
    expect(await count('method="GET",route="none",status="404"')).toBe(3);
    expect(await count('method="PUT",route="/v0/agreements/:id",status="405"')).toBe(1);
    expect(await count('method="other",route="none",status="404"')).toBe(1);
  });

  test("of callers never reach the operators' routes", async () => {
    const { call } = await service.createPrincipal();
    expect((await call('GET', '/ready')).status).toBe(404);
    expect((await call('GET', '/metrics')).status).toBe(404);
  });
});

test("operators' data are not for pages of public host names", async () => {
  const ask = async (host: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    get(`${internalUrl}/operations/transactions`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
    return promise;
  };
  expect(await Promise.all(['localhost', 'api', 'stranger.example'].map(ask))).toEqual([200, 200, 421]);
});

test("operators' data are not for requests that name no host", async () => {
  const { head } = await exchange(internalUrl, 'GET /operations/transactions HTTP/1.0\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 421 /);
});

describe('the served data', () => {
  const becomes = (httpStatus: number, reasons: RegExp[]) =>
    waitUntil(`readiness is ${httpStatus}: ${reasons}`, async () => {
      const ready = await readReady();
      return (
        ready.httpStatus === httpStatus &&
        ready.checks.current === (reasons.length === 0) &&
        ready.reasons.length === reasons.length &&
        reasons.every((reason, at) => reason.test(ready.reasons[at] ?? ''))
      );
    });

  test('make no process ready while they lag behind the node, or records behind the index', async () => {
    await showIndex();
    const { pool } = service.handle;
    await createAnvilClient(anvil.rpcUrl).mine({ blocks: 20 });
    await becomes(503, [
      /^chain 59141: the index has been behind its nodes, which are at block 20, for \d+ s$/,
    ]);
    expect(await readMetric(`agreements_index_late_seconds{chain="${chainId}"}`)).toBeGreaterThan(
      allowedLagMs / 1000,
    );
    await pool.query('update chain_index.heads set number = 20 where chain_id = $1', [chainId]);
    await becomes(503, [/^chain 59141: the records have been behind the index for \d+ s$/]);
    await pool.query('update service.projections set head_number = 20 where chain_id = $1', [chainId]);
    await becomes(200, []);
  });

  test('may lag behind nodes that do not answer the indexer', async () => {
    await showIndex();
    const { pool } = service.handle;
    await pool.query('update chain_index.heads set number = 20 where chain_id = $1', [chainId]);
    await pool.query('update service.projections set head_number = 20 where chain_id = $1', [chainId]);
    await createAnvilClient(anvil.rpcUrl).mine({ blocks: 20 });
    const late = /^chain 59141: the index has been behind its nodes, which are at block \d+, for \d+ s$/;
    await becomes(503, [late]);
    const endSilence = await silenceChain();
    await becomes(200, []);
    await endSilence();
    await becomes(503, [late]);
  });
});

describe('the internal port', () => {
  test('that is taken prevents the start only if it was configured', async () => {
    const port = Number(new URL(internalUrl).port);
    const usual = await startTestApi(service.databaseUrl, {
      internal: { host: '127.0.0.1', port, isNamed: false, allowedLagMs, allowedHosts: [] },
    });
    expect(usual.logLines.join('')).toContain('the port for readiness and metrics is in use');
    expect((await createCall(usual.baseUrl)('GET', '/v0/health')).status).toBe(200);
    await usual.close();
    await expect(
      startTestApi(service.databaseUrl, {
        internal: { host: '127.0.0.1', port, isNamed: true, allowedLagMs, allowedHosts: [] },
      }),
    ).rejects.toThrow('EADDRINUSE');
  });
});
