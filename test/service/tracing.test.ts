import { randomBytes } from 'node:crypto';
import { type Address, type Hex, parseEther } from 'viem';
import type { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { pingPong } from '../../bench/pingPong.ts';
import { runAdmin } from '../../src/api/admin/runAdmin.ts';
import { signInputPermit } from '../../src/api/demo/permits.ts';
import { inputShape } from '../../src/api/demo/served.ts';
import { createServiceClient } from '../../src/api/demo/serviceClient.ts';
import type { Child } from '../../src/api/supervision/child.ts';
import { encodeInputPayload, nameHash } from '../../src/protocol/index.ts';
import { deployPingPong } from '../support/deployPingPong.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type RunningProcess, startRunning } from '../support/runningProcess.ts';
import { createServiceStack, type ServiceKind, type ServiceStack } from '../support/serviceStack.ts';
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../support/traceCollector.ts';
import { waitUntil } from '../support/waitUntil.ts';

const patienceMs = 300_000;
const collectorKey = `otlp-${randomBytes(8).toString('hex')}`;
const nodeKey = `node-${randomBytes(8).toString('hex')}`;
const receiverKey = `hook-${randomBytes(8).toString('hex')}`;

/** Tells of each module of OpenTelemetry that a process loads. */
const tellLoads = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  const name = /@opentelemetry\\/([\\w-]+)/.exec(url);
  if (name) console.log('loads ' + name[1]);
  return next(url, context);
} });`;

let database: TestDatabase;
let stack: ServiceStack;
let collector: TraceCollector;
let receiver: Receiver;
let api: RunningProcess;
let worker: RunningProcess;
const running: Child[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  stack = await createServiceStack({
    databaseUrl: database.url,
    wallets: 1,
    env: { ENCRYPTION_KEY: randomBytes(32).toString('hex'), WEBHOOK_ALLOWED_TARGETS: '127.0.0.1' },
  });
  collector = await startTraceCollector();
  receiver = await startReceiver();
  await start('indexer');
  worker = await start('worker', tracing(collector.port));
  api = await start('api', tracing(collector.port));
  await stack.awaitReady();
});
afterEach(async () => {
  // Those of the tests end with them.
  for (const child of running.splice(3)) await child.kill();
});
afterAll(async () => {
  await Promise.all(running.map((child) => child.kill()));
  await Promise.all([collector?.close(), receiver?.close()]);
  await stack?.close();
  await database?.drop();
});

function tracing(port: number): NodeJS.ProcessEnv {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorKey}`,
    OTEL_SERVICE_NAME: 'traced',
  };
}

function start(kind: ServiceKind, env: NodeJS.ProcessEnv = {}): Promise<RunningProcess> {
  const node = kind === 'indexer' ? {} : { RPC_URL_84532: `${stack.rpcUrl}/?apikey=${nodeKey}` };
  return startRunning(stack, {
    kind,
    env: { ...node, ...env },
    nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(tellLoads)}`],
    onStart: (child) => running.push(child),
  });
}

const loadsOf = ({ lines }: RunningProcess) =>
  new Set(lines.filter((line) => line.startsWith('loads ')).map((line) => line.slice('loads '.length)));

const deploy = ({ baseUrl }: RunningProcess) => deployPingPong(stack, { baseUrl, displayName: 'Traced' });
type Deployed = Awaited<ReturnType<typeof deploy>>;

/** Submits an input through an API, with headers of the caller's. */
async function hit(
  { baseUrl }: RunningProcess,
  { id, address, account }: Deployed,
  headers: Record<string, string> = {},
) {
  const values = { note: 'traced' };
  const { chainId, reader: client } = stack;
  const permit = { client, chainId, agreementAddress: address, agreement: pingPong, account };
  const signed = await signInputPermit({ ...permit, inputId: 'hit', values });
  const response = await fetch(`${baseUrl}/v0/agreements/${id}/input`, {
    method: 'POST',
    headers: { 'x-api-key': stack.apiKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ inputId: 'hit', values, ...signed }),
  });
  expect(response.status).toBe(200);
  const { id: inputId } = z.object({ data: inputShape }).parse(await response.json()).data;
  const find = `select it.id, it.state, it.tx_hash, it.request_id, it.trace_parent
    from service.transactions it join service.inputs input on input.transaction_id = it.id where input.id = $1`;
  const transaction = await waitUntil(
    'the input is mined',
    async () => {
      const { rows } = await stack.pool.query<TransactionRow>(find, [inputId]);
      return rows.find(({ state }) => state === 'mined' || state === 'final');
    },
    patienceMs,
  );
  return { inputId, transaction };
}
type TransactionRow = {
  id: string;
  state: string;
  tx_hash: Hex;
  request_id: string | null;
  trace_parent: string | null;
};

async function subscribe({ baseUrl }: RunningProcess): Promise<{ id: string; secret: string }> {
  const service = createServiceClient({ baseUrl, apiKey: stack.apiKey });
  const body = { url: `${receiver.url}/${receiverKey}?token=${receiverKey}` };
  return service.post('/webhooks', body, z.object({ id: z.string(), secret: z.string() }));
}

const inTrace = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

function only(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [found, ...others] = named(spans, name);
  if (!found || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} spans ${name}`);
  return found;
}

describe('with a collector', () => {
  let deployed: Deployed;
  let secret: string;

  beforeAll(async () => {
    ({ secret } = await subscribe(api));
    deployed = await deploy(api);
  });

  test('one trace leads from the request of a caller to the delivery, and tells no secret', async () => {
    const [traceId, callerSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const { transaction } = await hit(api, deployed, {
      traceparent: `00-${traceId}-${callerSpanId}-01`,
      'x-request-id': 'traced-request',
    });
    const spans = await waitUntil(
      'the delivery and the request are in the trace',
      () => {
        const found = inTrace(traceId);
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
      attributes: { 'rpc.system': 'jsonrpc', 'server.address': new URL(stack.rpcUrl).host },
    });
    const simulations = named(spans, 'eth_call').filter(({ service }) => service === 'traced-api');
    expect(simulations.length).toBeGreaterThan(0);
    for (const simulation of simulations) expect(simulation.parentSpanId).toBe(request.spanId);

    const told = collector.received.map(({ body }) => body.toString()).join('\n');
    const secrets = [
      ...[collectorKey, nodeKey, receiverKey, secret, stack.apiKey, database.url],
      ...stack.relayerKeys.map((key) => key.slice(2)),
    ];
    for (const text of secrets) expect(told).not.toContain(text);
    for (const { path, headers } of collector.received)
      expect([path, headers.authorization]).toEqual(['/v1/traces', `Bearer ${collectorKey}`]);
    for (const { headers } of receiver.received) expect(headers).not.toHaveProperty('traceparent');

    expect(transaction.request_id).toBe('traced-request');
    let output = '';
    const print = (text: string) => {
      output += text;
    };
    const words = ['trace', transaction.tx_hash];
    await runAdmin({ words, env: { DATABASE_URL: database.url }, print, printError: print });
    expect(output).toMatch(/request +traced-request/);
    expect(output).toContain(traceId);
  });

  test('what reaches the chain by another way begins a trace with its event', async () => {
    const { address, account } = deployed;
    await stack.client.setBalance({ address: account.address, value: parseEther('1') });
    const before = new Set(collector.spans().map(({ spanId }) => spanId));
    const hash = await sendToContract(address, account);
    const written = await waitUntil(
      'the event is written and delivered',
      () => {
        const fresh = collector.spans().filter(({ spanId }) => !before.has(spanId));
        const event = fresh.find(
          ({ name, attributes }) =>
            name === 'write event' && attributes['agreements.transaction.hash'] === hash,
        );
        return event && fresh.some(({ parentSpanId }) => parentSpanId === event.spanId) && event;
      },
      patienceMs,
    );
    expect(written.parentSpanId).toBeUndefined();
    const others = inTrace(written.traceId).filter(({ spanId }) => spanId !== written.spanId);
    expect(others.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['deliver event', written.spanId],
    ]);
  });

  test('a request that is refused is named by its route, without what was sent, and one for the health is none', async () => {
    const traceId = randomBytes(16).toString('hex');
    const headers = {
      'x-api-key': 'agk_test_wrong-key-of-nobody',
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
    };
    await fetch(`${api.baseUrl}/v0/health`, { headers });
    await fetch(`${api.baseUrl}/v0/agreements/agr_hidden-id?secret=hidden-query`, { headers });
    const spans = await waitUntil('the span is there', () => {
      const found = inTrace(traceId);
      return found.length > 0 && found;
    });
    expect(spans).toMatchObject([
      { name: 'GET /v0/agreements/{id}', isFailed: false, attributes: { 'http.response.status_code': 401 } },
    ]);
    expect(JSON.stringify(spans)).not.toMatch(/hidden|wrong-key/);
  });

  test('a caller that traces, but keeps nothing of it, is followed by nobody', async () => {
    const traceId = randomBytes(16).toString('hex');
    const { transaction } = await hit(api, deployed, {
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-00`,
    });
    expect(transaction.trace_parent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    // A later request whose spans have come in shows that those of this one would have.
    const later = randomBytes(16).toString('hex');
    await hit(api, deployed, { traceparent: `00-${later}-${randomBytes(8).toString('hex')}-01` });
    await waitUntil('the later one is told of', () => named(inTrace(later), 'deliver event').length > 0);
    expect(inTrace(traceId)).toEqual([]);
  });

  test('processes that trace load what it takes, and keep the key of the collector out of their logs', () => {
    for (const process of [api, worker]) {
      expect([...loadsOf(process)]).toEqual(expect.arrayContaining(['api', 'sdk-trace']));
      expect(process.lines.join('\n')).not.toContain(collectorKey);
    }
  });
});

describe('without a collector', () => {
  test('nothing of it is loaded and nothing sent where none is named', async () => {
    const quiet = await start('api');
    const agreement = await deploy(quiet);
    const traceId = randomBytes(16).toString('hex');
    const { transaction } = await hit(quiet, agreement, {
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
      'x-request-id': 'untraced-request',
    });
    expect(transaction).toMatchObject({ request_id: 'untraced-request', trace_parent: null });
    // The metrics ask for the interface, whose spans are nothing.
    expect([...loadsOf(quiet)].filter((name) => name !== 'api')).toEqual([]);
    const { code } = await quiet.child.stop();
    expect(code).toBe(0);
    await waitUntil('the worker has told of the event', () =>
      collector
        .spans()
        .some(
          ({ name, attributes }) =>
            name === 'write event' && attributes['agreements.transaction.hash'] === transaction.tx_hash,
        ),
    );
    expect(inTrace(traceId)).toEqual([]);
    expect(new Set(collector.spans().map(({ service }) => service))).toEqual(
      new Set(['traced-api', 'traced-worker']),
    );
  });

  test.each([
    ['refuses connections', undefined],
    ['never answers', () => {}],
    [
      'answers with errors',
      (response: { writeHead(status: number): { end(): unknown } }) => void response.writeHead(500).end(),
    ],
  ] as const)('one that %s keeps nobody waiting', async (_, answer) => {
    const broken = await startTraceCollector(answer);
    if (answer === undefined) await broken.close();
    const lost = await start('api', tracing(broken.port));
    try {
      const agreement = await deploy(lost);
      const { transaction } = await hit(lost, agreement);
      expect(transaction.trace_parent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      await waitUntil(
        'it is told once',
        () => lost.lines.some((line) => line.includes('traces cannot be sent')),
        patienceMs,
      );
      const { code } = await lost.child.stop();
      expect(code).toBe(0);
      expect(lost.lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
    } finally {
      if (answer !== undefined) await broken.close();
    }
  });
});

/** An input that its signer sends without the service. */
async function sendToContract(
  address: Address,
  account: ReturnType<typeof privateKeyToAccount>,
): Promise<Hex> {
  const payload = encodeInputPayload(pingPong, 'hit', { note: 'direct' });
  return stack.client.writeContract({
    address,
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash('hit'), payload],
    account,
    chain: null,
  });
}
