import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { expect } from 'vitest';
import { z } from 'zod';
import { pingPong } from '../../../../bench/pingPong.ts';
import type { Child } from '../../../../src/platform/supervision/child.ts';
import { deployPingPong } from '../../../support/deployPingPong.ts';
import { startMailServer } from '../../../support/mailServer.ts';
import { patienceMs } from '../../../support/patience.ts';
import { signInputPermit } from '../../../support/permits.ts';
import { createTestDatabase } from '../../../support/postgres.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { type RunningProcess, startRunning } from '../../../support/runningProcess.ts';
import { createServiceStack, type ServiceKind } from '../../../support/serviceStack.ts';
import { createSingleCallClient } from '../../../support/singleCalls.ts';
import { type CollectedSpan, startTraceCollector } from '../../../support/traceCollector.ts';
import { waitUntil } from '../../../support/waitUntil.ts';

/**
 * Prints the name of each OpenTelemetry module that a process loads, directly or inside a bundle, which names
 * its parts.
 */
const tellLoads = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  const loaded = next(url, context);
  const names = (url + loaded.source).matchAll(/node_modules\\/@opentelemetry\\/([\\w-]+)/g);
  for (const name of new Set([...names].map((found) => found[1]))) console.log('loads ' + name);
  return loaded;
} });`;

export type TransactionRow = {
  id: string;
  state: string;
  tx_hash: Hex;
  request_id: string | null;
  trace_parent: string | null;
};

/**
 * An indexer, a worker and an API. Worker and API send traces to a collector. There are keys in all places
 * that a trace must not show. The caller closes it.
 */
export async function startTracedService() {
  const closings: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start((end) => closings.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
export type TracedService = Awaited<ReturnType<typeof startTracedService>>;
export type DeployedPingPong = Awaited<ReturnType<typeof deployPingPong>>;

async function start(onClose: (close: () => Promise<unknown>) => void) {
  const collectorKey = `otlp-${randomBytes(8).toString('hex')}`;
  const nodeKey = `node-${randomBytes(8).toString('hex')}`;
  const receiverKey = `hook-${randomBytes(8).toString('hex')}`;
  const database = await createTestDatabase();
  onClose(database.drop);
  const stack = await createServiceStack({
    databaseUrl: database.url,
    wallets: 1,
    env: {
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
      // With this setting a request also calls a node, so there is more to trace.
      ADMISSION: 'node',
    },
  });
  onClose(stack.close);
  const collector = await startTraceCollector();
  onClose(collector.close);
  const receiver = await startReceiver();
  onClose(receiver.close);
  const mailServer = await startMailServer();
  onClose(mailServer.close);
  const running: Child[] = [];
  onClose(() => Promise.all(running.map((child) => child.kill())));

  const tracing = (port: number): NodeJS.ProcessEnv => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorKey}`,
    OTEL_SERVICE_NAME: 'traced',
  });
  const startProcess = (kind: ServiceKind, env: NodeJS.ProcessEnv = {}): Promise<RunningProcess> => {
    const node = kind === 'indexer' ? {} : { RPC_URL_84532: `${stack.rpcUrl}/?apikey=${nodeKey}` };
    return startRunning(stack, {
      kind,
      env: { ...node, ...env },
      nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(tellLoads)}`],
      onStart: (child) => running.push(child),
    });
  };
  await startProcess('indexer');
  const mail = { SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'no-reply@service.example' };
  const worker = await startProcess('worker', { ...tracing(collector.port), ...mail });
  const api = await startProcess('api', tracing(collector.port));
  await stack.awaitReady();

  return {
    databaseUrl: database.url,
    stack,
    collector,
    receiver,
    mailServer,
    api,
    worker,
    collectorKey,
    /** Secrets that no trace may show. */
    secrets: [
      ...[collectorKey, nodeKey, receiverKey, stack.apiKey, database.url],
      ...stack.relayerKeys.map((key) => key.slice(2)),
    ],
    /** The environment of a process that sends traces to a collector on this port. */
    tracing,
    /** Starts another process, which ends with the test. */
    start: startProcess,
    deploy: (
      { baseUrl }: RunningProcess,
      details: { notificationTemplate?: Record<string, unknown>; observers?: string[] } = {},
    ) => deployPingPong(stack, { baseUrl, displayName: 'Traced', ...details }),
    /** Submits an input through an API, with the given headers, and waits until it is mined. */
    async hit(
      { baseUrl }: RunningProcess,
      { id, address, account }: DeployedPingPong,
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
      const { id: inputId } = z
        .object({ data: z.object({ id: z.string() }) })
        .parse(await response.json()).data;
      const find = `select tx.id, tx.state, tx.tx_hash, tx.request_id, tx.trace_parent
        from service.transactions tx join service.inputs input on input.transaction_id = tx.id where input.id = $1`;
      const transaction = await waitUntil(
        'the input is mined',
        async () => {
          const { rows } = await stack.pool.query<TransactionRow>(find, [inputId]);
          return rows.find(({ state }) => state === 'mined' || state === 'final');
        },
        patienceMs,
      );
      return { inputId, transaction };
    },
    subscribe({ baseUrl }: RunningProcess): Promise<{ id: string; secret: string }> {
      const service = createSingleCallClient({ baseUrl, apiKey: stack.apiKey });
      const body = { url: `${receiver.url}/${receiverKey}?token=${receiverKey}` };
      return service.webhooks.create(body);
    },
    inTrace: (traceId: string) => collector.spans().filter((span) => span.traceId === traceId),
  };
}

/** The OpenTelemetry modules that a process has loaded. */
export function loadsOf({ lines }: RunningProcess): Set<string> {
  return new Set(
    lines.filter((line) => line.startsWith('loads ')).map((line) => line.slice('loads '.length)),
  );
}

export function named(spans: readonly CollectedSpan[], name: string): CollectedSpan[] {
  return spans.filter((span) => span.name === name);
}
