import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { createKey, revokeKey } from '../../../src/records/principals/apiKeys.ts';
import { releaseNow } from '../../../src/worker/publisher/releaseEvents.ts';
import { insertRecords } from '../support/rows.ts';
import {
  startTestApi,
  startTestService,
  type TestPrincipal,
  type TestService,
} from '../support/testService.ts';
import { listenTo, type SseListener } from './support/listenTo.ts';

let service: TestService;
let principal: TestPrincipal;
const listeners: SseListener[] = [];
beforeAll(async () => {
  service = await startTestService({ env: { EVENT_STREAMS_MAX: '1000' } });
});
afterEach(async () => {
  for (const { close } of listeners.splice(0)) await close();
});
afterAll(() => service?.close());

/** The level of warnings in the log. */
const warn = 40;
let count = 0;
const records = new Map<string, string>();

/** Releases this number of new events of a principal, and returns their ids. */
async function release(owner: TestPrincipal, howMany: number): Promise<string[]> {
  const recordId = records.get(owner.id) ?? `agr_stream${records.size}`;
  if (!records.has(owner.id)) {
    records.set(owner.id, recordId);
    await insertRecords(service.handle.pool, owner, [{ id: recordId }]);
  }
  const ids = Array.from({ length: howMany }, () => `evt_${String(count++).padStart(64, '0')}`);
  const type = 'agreement.transitioned' as const;
  const events = ids.map((id, blockOrder) => ({
    ...{
      id,
      principalId: owner.id,
      recordId,
      type,
      chainId: 59141,
      blockNumber: null,
      txHash: null,
      blockOrder,
    },
    body: JSON.stringify({ id, type, data: { text: 'x\ny' } }),
  }));
  await inTransaction(service.handle.database, (transaction) => releaseNow(transaction, events));
  return ids;
}

async function listen(owner: TestPrincipal, options: { after?: string; lastEventId?: string } = {}) {
  const listener = await listenTo(service.baseUrl, { key: owner.key, ...options });
  listeners.push(listener);
  return listener;
}

test('sends existing events and then new ones, in order, each once and with the cursor after it', async () => {
  principal = await service.createPrincipal();
  const before = await release(principal, 60);
  const listener = await listen(principal);
  expect(listener.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(await listener.take(60)).toEqual(before);
  const later = [...(await release(principal, 1)), ...(await release(principal, 2))];
  expect(await listener.take(3)).toEqual(later);
  const { body } = await principal.call('GET', `/v0/events?after=${listener.lastEventId()}`);
  expect(body.data).toEqual([]);
});

test('begins now if requested, and prefers the position that the browser remembers', async () => {
  principal = await service.createPrincipal();
  const [first] = await release(principal, 3);
  const now = await listen(principal, { after: 'now' });
  const start = await listen(principal);
  expect(await start.take(1)).toEqual([first]);
  const cursor = start.lastEventId();
  const next = await release(principal, 1);
  expect(await now.take(1)).toEqual(next);
  const back = await listen(principal, { after: 'now', lastEventId: cursor });
  expect((await back.take(3)).at(-1)).toBe(next[0]);
});

test('a listener that is cut a hundred times at random misses nothing and gets nothing twice', async () => {
  principal = await service.createPrincipal();
  const told: string[] = [];
  const expected: string[] = [];
  let lastEventId: string | undefined;
  for (let cut = 0; cut < 100; cut++) {
    const listener = await listenTo(service.baseUrl, {
      key: principal.key,
      ...(lastEventId !== undefined && { lastEventId }),
    });
    expected.push(...(await release(principal, 1 + (cut % 4))));
    const wanted = Math.min(expected.length - told.length, (cut * 7) % 5);
    told.push(...(await listener.take(wanted)));
    lastEventId = listener.lastEventId();
    await listener.close();
  }
  const last = await listen(principal, { lastEventId: lastEventId ?? '' });
  told.push(...(await last.take(expected.length - told.length)));
  expect(told).toEqual(expected);
});

test('a thousand listeners are served over one listening connection', async () => {
  principal = await service.createPrincipal();
  const crowd = await Promise.all(Array.from({ length: 1_000 }, () => listen(principal, { after: 'now' })));
  const ids = await release(principal, 3);
  for (const told of await Promise.all(crowd.map((listener) => listener.take(3)))) expect(told).toEqual(ids);
  const { rows } = await service.handle.pool.query(
    `select count(*)::int as listening from pg_stat_activity
     where datname = current_database() and application_name = 'agreements listener'`,
  );
  expect(rows[0]).toEqual({ listening: 1 });
  // Opens a thousand connections. On a busy machine each may take a tenth of a second.
}, 180_000);

test('one listener too many is asked to come back', async () => {
  const few = await startTestApi(service.databaseUrl, { env: { EVENT_STREAMS_MAX: '1' } });
  try {
    const crowded = await service.createPrincipal();
    const open = ({ key }: TestPrincipal) => listenTo(few.baseUrl, { key });
    const first = await open(crowded);
    const refused = await open(crowded);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '5']);
    const other = await open(await service.createPrincipal());
    expect(other.response.status).toBe(200);
    await first.close();
    await expect.poll(async () => (await open(crowded)).response.status).toBe(200);
    await other.close();
    // A listener that leaves is no failure.
    expect(few.logLines.filter((line) => JSON.parse(line).level >= warn)).toEqual([]);
  } finally {
    await few.close();
  }
});

test('nobody gets the events of others, or reaches a position in their feed', async () => {
  const [ada, grace] = [await service.createPrincipal(), await service.createPrincipal()];
  const ofAda = await listen(ada);
  const ofGrace = await listen(grace);
  await release(ada, 1);
  const [own] = await release(grace, 1);
  expect(await ofGrace.take(1)).toEqual([own]);
  await ofAda.take(1);
  for (const cursor of [ofAda.lastEventId(), 'nonsense']) {
    // The refusal also holds while the cursor's owner reads from the same position.
    const [, stolen] = await Promise.all([
      listen(ada, { after: cursor === 'nonsense' ? 'now' : cursor }),
      grace.call('GET', `/v0/events/stream?after=${cursor}`),
    ]);
    expect(stolen.status).toBe(400);
  }
});

test('ends when its key is revoked', async () => {
  principal = await service.createPrincipal();
  const { database } = service.handle;
  const { id, key } = await createKey(database, { principal: principal.id, environment: 'testnet' });
  const listener = await listen({ ...principal, key });
  await release(principal, 1);
  await listener.take(1);
  await revokeKey(database, id);
  await listener.ended;
  expect((await fetch(`${service.baseUrl}/v0/events/stream`, { headers: { 'x-api-key': key } })).status).toBe(
    401,
  );
});
