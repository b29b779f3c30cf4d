import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { writeConsistency } from '../../src/api/agreements/consistency.ts';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createCall } from './support/call.ts';
import { deploymentPath, findDeployment, prepareDeployment } from './support/deployments.ts';
import { endReplica, type Replica, startReplica } from './support/replica.ts';
import { type SlowEndpoint, startSlowEndpoint } from './support/slowEndpoint.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

/**
 * Each test starts a process, and the longest waits for the balancers' grace period. That takes up to half a
 * minute on an idle machine.
 */
vi.setConfig({ testTimeout: 180_000 });

let chain: TestChain;
let endpoint: SlowEndpoint;
let service: TestService;
let principal: TestPrincipal;
let replica: Replica;
beforeAll(async () => {
  chain = await startTestChain();
  endpoint = await startSlowEndpoint(chain.rpcUrl);
  service = await startTestService();
  await offerWallet(service, chain);
  principal = await service.createPrincipal();
});
afterEach(async () => {
  endpoint.release();
  await endReplica(replica);
});

async function start(env?: Readonly<Record<string, string>>): Promise<void> {
  replica = await startReplica(service, endpoint.url, env);
}
afterAll(async () => {
  await service?.close();
  await endpoint?.close();
  await chain?.stop();
});

const readyShape = z.object({ checks: z.object({ running: z.boolean() }) });

async function isRunning(): Promise<boolean> {
  const response = await fetch(`${replica.internalUrl}/ready`);
  return readyShape.parse(await response.json()).checks.running;
}

describe('an API that is asked to stop', () => {
  test('answers a deployment that the chain is slow about, takes no other, and ends well', async () => {
    await start();
    const body = await prepareDeployment(chain);
    endpoint.hold();
    const answer = createCall(replica.baseUrl, principal.key)('POST', deploymentPath, { body });
    await waitUntil('the chain is asked', () => endpoint.waiting() > 0);
    expect(await isRunning()).toBe(true);

    replica.program.signal('SIGTERM');
    await waitUntil('it takes no more connections', () =>
      fetch(`${replica.baseUrl}/v0/health`).then(
        () => false,
        () => true,
      ),
    );
    expect(await isRunning()).toBe(false);
    endpoint.release();

    const { status, headers, body: answered } = await answer;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    const record = recordShape.parse(answered.data);
    expect(record.status).toBe('Draft');
    expect(await replica.program.exited).toEqual({ code: 0, signal: null });
    const { rows } = await service.handle.pool.query('select 1 from service.records where id = $1', [
      record.id,
    ]);
    expect(rows).toHaveLength(1);
  });

  test('answers soon what only waits for the chain to show it', async () => {
    await start();
    const body = await prepareDeployment(chain);
    const answer = createCall(replica.baseUrl, principal.key)('POST', deploymentPath, { body });
    await waitUntil('the deployment is stored', () => findDeployment(service, body.signer));
    const askedAt = performance.now();
    replica.program.signal('SIGTERM');
    const { status, body: answered } = await answer;
    expect([status, recordShape.parse(answered.data).status]).toEqual([200, 'Draft']);
    expect(await replica.program.exited).toEqual({ code: 0, signal: null });
    // Far less than the minute that the request would have waited.
    expect(performance.now() - askedAt).toBeLessThan(30_000);
  });

  test('lets a read that waits end by itself for a while, as it would have to be refused', async () => {
    await start();
    const token = writeConsistency([{ chainId, blockNumber: 5, recordId: null, inputId: null }]);
    const path = `/v0/agreements?consistency=${token}`;
    const answer = createCall(replica.baseUrl, principal.key)('GET', path);
    const { pool } = service.handle;
    await waitUntil('it waits', async () => {
      const query = `select 1 from pg_stat_activity where datname = current_database()
        and application_name = 'agreements api' and query like '%from service.projections where chain_id = asked.chain_id%'`;
      return ((await pool.query(query)).rowCount ?? 0) > 0;
    });
    replica.program.signal('SIGTERM');
    await waitUntil('it takes no more connections', () =>
      fetch(`${replica.baseUrl}/v0/health`).then(
        () => false,
        () => true,
      ),
    );
    await pool.query(
      `insert into service.projections (chain_id, head_number, head_hash, head_timestamp) values ($1, 5, '0x5', now())`,
      [chainId],
    );
    await pool.query(`select pg_notify('chain_folded', $1)`, [String(chainId)]);
    expect((await answer).status).toBe(200);
    expect(await replica.program.exited).toEqual({ code: 0, signal: null });
  });

  test('serves all callers until balancers notice, and asks each to come back elsewhere', async () => {
    await start({ SHUTDOWN_GRACE_MS: '5000' });
    const call = createCall(replica.baseUrl, principal.key);
    // The first call also loads the document that answers are checked against.
    await call('GET', '/v0/agreements');
    replica.program.signal('SIGTERM');
    await waitUntil('it says that it stops', async () => {
      const response = await fetch(`${replica.internalUrl}/ready`);
      return response.status === 503 && !readyShape.parse(await response.json()).checks.running;
    });
    const { status, headers } = await call('GET', '/v0/agreements');
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    expect(await replica.program.exited).toEqual({ code: 0, signal: null });
  });

  test('is not held up by a connection that stays open', async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${replica.baseUrl}/v0/health`, { agent }, resolve).on('error', reject).end();
    });
    expect(await text(response)).toContain('"status":"ok"');
    expect(response.headers.connection).toBe('keep-alive');
    // Longer than balancers keep a connection.
    expect(response.headers['keep-alive']).toBe('timeout=75');
    replica.program.signal('SIGTERM');
    expect(await replica.program.exited).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  test('waits for no connection that was opened in advance and never used', async () => {
    await start();
    const unused = connect(Number(new URL(replica.baseUrl).port), '127.0.0.1');
    await once(unused, 'connect');
    replica.program.signal('SIGTERM');
    expect(await replica.program.exited).toEqual({ code: 0, signal: null });
    expect(replica.program.lines.filter((line) => line.includes('cutting off'))).toEqual([]);
    unused.destroy();
  });
});
