import { randomBytes } from 'node:crypto';
import { type Address, type Hex, parseEther } from 'viem';
import type { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { encodeInputPayload, nameHash } from '../../../src/protocol/index.ts';
import { patienceMs } from '../../support/patience.ts';
import type { CollectedSpan } from '../../support/traceCollector.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import {
  type DeployedPingPong,
  loadsOf,
  named,
  startTracedService,
  type TracedService,
} from './support/tracedService.ts';

let scene: TracedService;
beforeAll(async () => {
  scene = await startTracedService();
});
afterAll(() => scene?.close());

describe('with a collector', () => {
  let deployed: DeployedPingPong;
  let secret: string;

  beforeAll(async () => {
    ({ secret } = await scene.subscribe(scene.api));
    deployed = await scene.deploy(scene.api);
  });

  test("one trace leads from a caller's request to the delivery, and contains no secret", async () => {
    const [traceId, callerSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const { transaction } = await scene.hit(scene.api, deployed, {
      traceparent: `00-${traceId}-${callerSpanId}-01`,
      'x-request-id': 'traced-request',
    });
    const spans = await waitUntil(
      'the delivery and the request are in the trace',
      () => {
        const found = scene.inTrace(traceId);
        const isWhole = ['deliver event', 'POST /v0/agreements/{id}/input', 'settle transaction'].every(
          (name) => named(found, name).length > 0,
        );
        return isWhole && named(found, 'broadcast transaction').length > 0 && found;
      },
      patienceMs,
    );

    const request = only(spans, 'POST /v0/agreements/{id}/input');
    expect(request).toMatchObject({
      service: 'traced-api',
      parentSpanId: callerSpanId,
      kind: 2,
      isFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v0/agreements/{id}/input',
        'http.response.status_code': 200,
        'agreements.request.id': 'traced-request',
      },
    });
    const store = only(spans, 'store transaction');
    expect(store).toMatchObject({ service: 'traced-api', parentSpanId: request.spanId });
    for (const name of ['sign transaction', 'broadcast transaction', 'settle transaction', 'write event'])
      expect(only(spans, name), name).toMatchObject({
        service: 'traced-worker',
        parentSpanId: store.spanId,
        isFailed: false,
      });
    expect(only(spans, 'settle transaction').attributes).toMatchObject({
      'agreements.transaction.id': transaction.id,
      'agreements.transaction.hash': transaction.tx_hash,
    });
    expect(only(spans, 'deliver event')).toMatchObject({
      service: 'traced-worker',
      parentSpanId: only(spans, 'write event').spanId,
      kind: 3,
      attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
    });
    expect(only(spans, 'eth_sendRawTransaction')).toMatchObject({
      service: 'traced-worker',
      parentSpanId: only(spans, 'broadcast transaction').spanId,
      kind: 3,
      attributes: { 'rpc.system': 'jsonrpc', 'server.address': new URL(scene.stack.rpcUrl).host },
    });
    const simulations = named(spans, 'eth_call').filter(({ service }) => service === 'traced-api');
    expect(simulations.length).toBeGreaterThan(0);
    for (const simulation of simulations) expect(simulation.parentSpanId).toBe(request.spanId);

    const told = scene.collector.received.map(({ body }) => body.toString()).join('\n');
    for (const text of [secret, ...scene.secrets]) expect(told).not.toContain(text);
    for (const { path, headers } of scene.collector.received)
      expect([path, headers.authorization]).toEqual(['/v1/traces', `Bearer ${scene.collectorKey}`]);
    for (const { headers } of scene.receiver.received) expect(headers).not.toHaveProperty('traceparent');

    expect(transaction.request_id).toBe('traced-request');
    let output = '';
    const print = (text: string) => {
      output += text;
    };
    const words = ['trace', transaction.tx_hash];
    await runAdmin({ words, env: { DATABASE_URL: scene.databaseUrl }, print, printError: print });
    expect(output).toMatch(/request +traced-request/);
    expect(output).toContain(traceId);
  });

  test("a caller's trace leads to the mails of its input, without their texts and addresses", async () => {
    const told = { name: 'secretive-reader', subject: 'a hidden subject', body: 'a hidden body' };
    const rule = {
      id: 'told',
      name: 'Whoever reads is told',
      trigger: { type: 'onTransition', inputs: ['hit'] },
      recipients: [`${told.name}@mail.example`],
      notification: { channel: 'email', subject: told.subject, body: told.body },
    };
    const agreement = await scene.deploy(scene.api, {
      observers: [`${told.name}@mail.example`],
      notificationTemplate: { rules: [rule] },
    });
    scene.mailServer.refusals.push({ after: 'content', code: 451 });
    const traceId = randomBytes(16).toString('hex');
    const { transaction } = await scene.hit(scene.api, agreement, {
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
    });
    const spans = await waitUntil(
      'the mail is sent',
      () => {
        const found = scene.inTrace(traceId);
        return named(found, 'send mail').length === 2 && found;
      },
      patienceMs,
    );
    const write = only(spans, 'write mail');
    expect(write).toMatchObject({
      service: 'traced-worker',
      parentSpanId: only(spans, 'store transaction').spanId,
      isFailed: false,
      attributes: { 'agreements.transaction.hash': transaction.tx_hash },
    });
    expect(named(spans, 'send mail')).toMatchObject(
      [true, false].map((isFailed, at) => ({
        service: 'traced-worker',
        parentSpanId: write.spanId,
        kind: 3,
        isFailed,
        attributes: { 'server.address': '127.0.0.1', 'agreements.mail.attempt': at + 1 },
      })),
    );
    const [mail, ...others] = scene.mailServer.received;
    expect(others).toEqual([]);
    expect(Object.fromEntries(mail?.headers ?? [])).not.toHaveProperty('traceparent');
    const bodies = scene.collector.received.map(({ body }) => body.toString()).join('\n');
    for (const text of Object.values(told)) expect(bodies).not.toContain(text);
  });

  test('what reaches the chain by another way begins a trace with its event', async () => {
    const { address, account } = deployed;
    await scene.stack.client.setBalance({ address: account.address, value: parseEther('1') });
    const before = new Set(scene.collector.spans().map(({ spanId }) => spanId));
    const hash = await sendToContract(address, account);
    const written = await waitUntil(
      'the event is written and delivered',
      () => {
        const fresh = scene.collector.spans().filter(({ spanId }) => !before.has(spanId));
        const event = fresh.find(
          ({ name, attributes }) =>
            name === 'write event' && attributes['agreements.transaction.hash'] === hash,
        );
        return event && fresh.some(({ parentSpanId }) => parentSpanId === event.spanId) && event;
      },
      patienceMs,
    );
    expect(written.parentSpanId).toBeUndefined();
    const others = scene.inTrace(written.traceId).filter(({ spanId }) => spanId !== written.spanId);
    expect(others.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['deliver event', written.spanId],
    ]);
  });

  test('a refused request is named by its route, without its content, and a health check has no span', async () => {
    const traceId = randomBytes(16).toString('hex');
    const headers = {
      'x-api-key': 'agk_test_wrong-key-of-nobody',
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
    };
    await fetch(`${scene.api.baseUrl}/v0/health`, { headers });
    await fetch(`${scene.api.baseUrl}/v0/agreements/agr_hidden-id?secret=hidden-query`, { headers });
    const spans = await waitUntil('the span is there', () => {
      const found = scene.inTrace(traceId);
      return found.length > 0 && found;
    });
    expect(spans).toMatchObject([
      { name: 'GET /v0/agreements/{id}', isFailed: false, attributes: { 'http.response.status_code': 401 } },
    ]);
    expect(JSON.stringify(spans)).not.toMatch(/hidden|wrong-key/);
  });

  test("a caller's trace that is not sampled is not exported here", async () => {
    const traceId = randomBytes(16).toString('hex');
    const { transaction } = await scene.hit(scene.api, deployed, {
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-00`,
    });
    expect(transaction.trace_parent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    // Once the spans of a later request have arrived, the spans of this one would have arrived too.
    const later = randomBytes(16).toString('hex');
    await scene.hit(scene.api, deployed, { traceparent: `00-${later}-${randomBytes(8).toString('hex')}-01` });
    await waitUntil(
      'the later one is told of',
      () => named(scene.inTrace(later), 'deliver event').length > 0,
    );
    expect(scene.inTrace(traceId)).toEqual([]);
  });

  test("processes that trace load the SDK, and keep the collector's key out of their logs", () => {
    for (const process of [scene.api, scene.worker]) {
      expect([...loadsOf(process)]).toEqual(expect.arrayContaining(['api', 'sdk-trace']));
      expect(process.lines.join('\n')).not.toContain(scene.collectorKey);
    }
  });
});

function only(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [found, ...others] = named(spans, name);
  if (!found || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} spans ${name}`);
  return found;
}

/** Submits an input directly to the contract. */
async function sendToContract(
  address: Address,
  account: ReturnType<typeof privateKeyToAccount>,
): Promise<Hex> {
  const payload = encodeInputPayload(pingPong, 'hit', { note: 'direct' });
  return scene.stack.client.writeContract({
    address,
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash('hit'), payload],
    account,
    chain: null,
  });
}
