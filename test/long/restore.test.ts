import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { pingPong } from '../../bench/pingPong.ts';
import { UnauthorizedError } from '../../client/src/index.ts';
import { verifyWebhook } from '../../client/src/webhooks/verifyWebhook.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import type { Child } from '../../src/platform/supervision/child.ts';
import { createKey, revokeKey } from '../../src/records/principals/apiKeys.ts';
import { copyDatabase } from '../e2e/support/copyDatabase.ts';
import { deployPingPong } from '../support/deployPingPong.ts';
import { patienceMs } from '../support/patience.ts';
import { signInputPermit } from '../support/permits.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { accept, type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { startRunning } from '../support/runningProcess.ts';
import { createServiceStack, type ServiceKind, type ServiceStack } from '../support/serviceStack.ts';
import { createSingleCallClient } from '../support/singleCalls.ts';
import { waitUntil } from '../support/waitUntil.ts';

const eventShape = z.looseObject({ id: z.string(), data: z.looseObject({ sequence: z.int() }) });
const pageShape = z.object({
  data: z.array(eventShape),
  pageInfo: z.object({ nextCursor: z.string() }),
});

let first: TestDatabase;
let second: TestDatabase;
let stack: ServiceStack;
let original: DatabaseHandle;
let restored: DatabaseHandle;
let steady: Receiver;
let broken: Receiver;
let isBroken = true;
let baseUrl: string;
const running: Child[] = [];

beforeAll(async () => {
  [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const env = {
    // Operators keep the key apart from the backup. The restored service has the same key.
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
    WEBHOOK_BACKOFF_SECONDS: '1',
    WEBHOOK_BACKOFF_MAX_SECONDS: '1',
    WEBHOOK_ATTEMPTS: '1000',
    // A delivery that times out would be repeated.
    WEBHOOK_TIMEOUT_MS: '60000',
  };
  stack = await createServiceStack({ databaseUrl: first.url, wallets: 1, env });
  const logger = createLogger({ level: 'silent', name: 'test' });
  const open = (url: string) => createDatabase({ url, applicationName: 'test', maxConnections: 2, logger });
  original = open(first.url);
  restored = open(second.url);
  steady = await startReceiver();
  broken = await startReceiver((response, ...rest) =>
    isBroken ? response.writeHead(500).end() : accept(response, ...rest),
  );
});
afterAll(async () => {
  await Promise.all(running.map((child) => child.kill()));
  await Promise.all([steady?.close(), broken?.close(), original?.close(), restored?.close()]);
  await stack?.close();
  await Promise.all([first?.drop(), second?.drop()]);
});

async function start(kind: ServiceKind, databaseUrl: string): Promise<Child> {
  const env = {
    DATABASE_URL: databaseUrl,
    ...(kind === 'api' && { INTERNAL_PORT: String(await findFreePort()) }),
  };
  const onStart = (child: Child) => running.push(child);
  const process = await startRunning(stack, { kind, env, onStart });
  if (kind === 'api') baseUrl = process.baseUrl;
  return process.child;
}

const service = () => createSingleCallClient({ baseUrl, apiKey: stack.apiKey });

async function deploy() {
  const { chainId, reader: client } = stack;
  const { id, address, account } = await deployPingPong(stack, { baseUrl, displayName: 'Kept' });
  const hit = async (note: string) => {
    const values = { note };
    const permit = { client, chainId, agreementAddress: address, agreement: pingPong, account };
    const signed = await signInputPermit({ ...permit, inputId: 'hit', values });
    const input = { inputId: 'hit', values, ...signed };
    const { id: ownId } = await service().agreements.submitInput(id, input);
    await waitUntil(
      'the input is mined',
      async () => (await readInputs(id)).some((given) => given.id === ownId && given.status === 'MINED'),
      patienceMs,
    );
  };
  return { id, hit };
}

const readInputs = async (id: string) =>
  (await service().agreements.listInputs(id, { limit: 100, sort: { createdAt: 'asc' } })).data;

async function readFeed(after?: string) {
  const query = after === undefined ? '' : `&after=${after}`;
  const response = await fetch(`${baseUrl}/v0/events?limit=100${query}`, {
    headers: { 'x-api-key': stack.apiKey },
  });
  return pageShape.parse(await response.json());
}

async function readAll(id: string) {
  const [record, state, inputs, feed, webhooks] = await Promise.all([
    service().agreements.get(id),
    service().agreements.getState(id),
    readInputs(id),
    readFeed(),
    service().webhooks.list(),
  ]);
  // The counters of attempts still change during the reads, so they are left out.
  const subscriptions = webhooks.data.map(({ id: webhookId, status, url, eventTypes }) => ({
    ...{ webhookId, status, url, eventTypes },
  }));
  return { record, state, inputs, feed, subscriptions };
}

const idsOf = (received: readonly Received[], secret: string) =>
  Promise.all(
    received.map(async ({ body, headers }) => (await verifyWebhook(body.toString(), headers, secret)).id),
  );

test('a service restored from a backup keeps its data, and announces nothing twice', async ({ annotate }) => {
  await start('indexer', first.url);
  await start('worker', first.url);
  await start('api', first.url);
  await stack.awaitReady();
  const subscribe = ({ url }: Receiver) => service().webhooks.create({ url });
  const [steadyOne, brokenOne] = [await subscribe(steady), await subscribe(broken)];
  const gone = await createKey(original.database, {
    principal: 'dev',
    environment: 'testnet',
    label: 'gone',
  });
  await revokeKey(original.database, gone.id);
  const agreement = await deploy();
  await agreement.hit('before the backup');
  await waitUntil('one receiver has had both events', () => steady.received.length === 2, patienceMs);
  await waitUntil('the other one was tried', () => broken.received.length >= 2, patienceMs);
  const isRecorded = `select 1 from service.deliveries where status = 'succeeded'`;
  await waitUntil(
    'that is recorded',
    async () => (await stack.pool.query(isRecorded)).rowCount === 2,
    patienceMs,
  );
  const before = await readAll(agreement.id);

  await annotate(`copied by ${await copyDatabase({ from: first.url, to: second.url })}`);
  // After the loss of the database, events after the backup exist only on the chain.
  await agreement.hit('after the backup');
  await waitUntil('it is told', () => steady.received.length === 3, patienceMs);
  const lost = (await readFeed()).data[2];
  const toldBefore = await idsOf(steady.received, steadyOne.secret);
  await Promise.all(running.splice(0).map((child) => child.kill()));
  isBroken = false;
  const failedBefore = broken.received.length;

  // Before the index exists, the API serves the same data as before.
  await start('api', second.url);
  expect(await readAll(agreement.id)).toEqual(before);
  await expect(createSingleCallClient({ baseUrl, apiKey: gone.key }).agreements.list()).rejects.toThrow(
    UnauthorizedError,
  );

  const heights: number[] = [];
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) heights.push((await readInputs(agreement.id)).filter(isMined).length);
  })();
  await start('worker', second.url);
  await start('indexer', second.url);
  await waitUntil(
    'the index is there again, and in the records',
    async () => {
      await stack.client.mine({ blocks: 1 });
      return (await readInputs(agreement.id)).length === 2;
    },
    patienceMs,
  );
  isWatching = false;
  await watching;
  expect(heights.length).toBeGreaterThan(0);
  expect(heights).toEqual(heights.toSorted((one, other) => one - other));
  expect(heights[0]).toBe(1);

  // The feed continues at the same place. An event that was announced after the backup comes again, with the
  // same id.
  const feed = await waitUntil(
    'the third event is there',
    async () => {
      const page = await readFeed();
      return page.data.length === 3 && page;
    },
    patienceMs,
  );
  expect(feed.data.slice(0, 2)).toEqual(before.feed.data);
  expect(feed.data[2]?.id).toBe(lost?.id);
  expect((await readFeed(before.feed.pageInfo.nextCursor)).data.map(({ id }) => id)).toEqual([lost?.id]);

  const delivered = (count: number) => async () => {
    const query = `select 1 from service.deliveries where status = 'succeeded'`;
    return (await restored.pool.query(query)).rowCount === count;
  };
  await waitUntil('all is delivered', delivered(6), patienceMs);
  expect(await idsOf(steady.received, steadyOne.secret)).toEqual([...toldBefore, lost?.id]);
  // The order no longer matters: repeated attempts come in any order.
  const taken = await idsOf(broken.received.slice(failedBefore), brokenOne.secret);
  expect(taken.toSorted()).toEqual(toldBefore.toSorted());

  // The wallet has used nonces that the backup does not know.
  await agreement.hit('after the restore');
  await waitUntil('that is delivered too', delivered(8), patienceMs);
  expect(steady.received).toHaveLength(5);
  expect((await readFeed()).data.map(({ data }) => data.sequence)).toEqual([0, 1, 2, 3]);
  // The test starts seven processes, two of them indexers: this takes most of a minute on an idle machine.
}, 300_000);

const isMined = ({ status }: { status: string }) => status === 'MINED';
