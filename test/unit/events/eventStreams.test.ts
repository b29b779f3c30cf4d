import { expect, test } from 'vitest';
import { createEventStreams } from '../../../src/api/streams/eventStreams.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';

const logger = createLogger({ level: 'silent', name: 'test' });
const never = { changed: new Promise<void>(() => {}), end() {} };
const event = { type: 'agreement.transitioned' as const, body: '{}', cursor: 'next' };
const following = { principalId: 'prn_1', after: 'start', async requireAccess() {}, disconnect() {} };
const decoder = new TextDecoder();

async function readAll(stream: ReadableStream<Uint8Array>, count: number) {
  const reader = stream.getReader();
  const texts: string[] = [];
  while (texts.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    texts.push(decoder.decode(value));
  }
  return { texts, reader };
}

test('a comment comes where nothing else does', async () => {
  const sources = {
    read: async () => ({ events: [], nextCursor: 'start', isEnd: true }),
    watch: () => never,
    logger,
  };
  const streams = createEventStreams(sources, { perPrincipal: 1, heartbeatMs: 5 });
  const { texts } = await readAll(await streams.open(following), 3);
  expect(texts).toEqual(['id: start\n\n', ': heartbeat\n\n', ': heartbeat\n\n']);
  streams.close();
});

test('a listener that takes nothing is cut off, and makes room', async () => {
  const sources = {
    read: async () => ({ events: [event], nextCursor: 'next', isEnd: false }),
    watch: () => never,
    logger,
  };
  const streams = createEventStreams(sources, { perPrincipal: 1, stallMs: 5 });
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  await readAll(await streams.open({ ...following, disconnect: resolve }), 2);
  await expect(streams.open(following)).rejects.toThrow('limit of open event streams');
  await cut;
  const { texts } = await readAll(await streams.open(following), 1);
  expect(texts).toEqual(['id: start\n\n']);
  streams.close();
});

test('nothing is read ahead of the listener', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return { events: [event, event], nextCursor: 'next', isEnd: false };
  };
  const streams = createEventStreams({ read, watch: () => never, logger }, { perPrincipal: 1 });
  const { texts, reader } = await readAll(await streams.open(following), 3);
  expect([texts.length, reads]).toEqual([3, 1]);
  await reader.read();
  expect(reads).toBe(2);
  streams.close();
});

test('what several ask for at once is read once, and never for another principal', async () => {
  const asked: string[] = [];
  const read = async ({ principalId, after }: { principalId: string; after: string }) => {
    asked.push(`${principalId} ${after}`);
    return { events: [], nextCursor: after, isEnd: true };
  };
  const streams = createEventStreams({ read, watch: () => never, logger }, { perPrincipal: 9 });
  const open = (principalId: string) => streams.open({ ...following, principalId });
  await Promise.all([open('prn_1'), open('prn_1'), open('prn_2')]);
  expect(asked).toEqual(['prn_1 start', 'prn_2 start']);
  streams.close();
});

test('an event that comes during another listener’s read reaches everybody at once', async () => {
  const feed: (typeof event)[] = [];
  let delivered = Promise.resolve();
  let woken = Promise.withResolvers<void>();
  let reads = 0;
  const read = async ({ after }: { after: string }) => {
    reads++;
    const events = after === 'start' ? [...feed] : [];
    await delivered;
    return { events, nextCursor: after, isEnd: true };
  };
  const watch = () => ({ changed: woken.promise, end() {} });
  const streams = createEventStreams({ read, watch, logger }, { perPrincipal: 2, heartbeatMs: 2_000 });
  const early = await readAll(await streams.open(following), 1);
  const next = early.reader.read();
  await new Promise(setImmediate);
  const before = reads;
  const held = Promise.withResolvers<void>();
  delivered = held.promise;
  const opening = streams.open(following);
  feed.push(event);
  const { resolve } = woken;
  woken = Promise.withResolvers<void>();
  resolve();
  await new Promise(setImmediate);
  expect(reads).toBe(before + 1);
  held.resolve();
  const { texts } = await readAll(await opening, 2);
  expect([decoder.decode((await next).value), texts[1]]).toEqual(
    Array(2).fill(expect.stringMatching(/^id: next/)),
  );
  streams.close();
});

test('listeners that take nothing hold no more than a few parts of the feed, and not those of another principal', async () => {
  const long = { ...event, body: `"${'x'.repeat(8_192)}"` };
  let parts = 0;
  const read = async ({ after }: { after: string }) => {
    parts += 1;
    return { events: [long, long], nextCursor: after, isEnd: true };
  };
  const streams = createEventStreams({ read, watch: () => never, logger }, { perPrincipal: 200 });
  const openAt = (at: number, principalId = 'prn_1') =>
    streams.open({ ...following, after: `cursor ${at}`, principalId });
  const opened = await Promise.all(Array.from({ length: 100 }, (_, at) => openAt(at)));
  // The reads that check the cursors are not kept, so they do not count.
  parts = 0;
  const first = await Promise.all(opened.map(async (stream) => (await readAll(stream, 1)).reader));
  const taken: number[] = [];
  const second = first.map((reader, at) => reader.read().then(() => taken.push(at)));
  await readAll(await openAt(0, 'prn_2'), 2);
  await Promise.all(second.slice(0, 64));
  expect(taken).toHaveLength(64);
  expect(parts).toBe(64 + 2);
  // A listener that leaves makes room, and so does one that has taken everything.
  await first[0]?.cancel();
  await second[64];
  await first[1]?.read();
  void first[1]?.read();
  await second[65];
  expect(taken).toHaveLength(66);
  streams.close();
});

test('a principal has two reads under way at most, and no other one waits for them', async () => {
  const begun: string[] = [];
  const held = Promise.withResolvers<void>();
  const read = async ({ principalId, after }: { principalId: string; after: string }) => {
    begun.push(`${principalId} ${after}`);
    await held.promise;
    return { events: [], nextCursor: after, isEnd: true };
  };
  const streams = createEventStreams({ read, watch: () => never, logger }, { perPrincipal: 9 });
  const opened = ['a', 'b', 'c', 'd'].map((after) => streams.open({ ...following, after }));
  opened.push(streams.open({ ...following, principalId: 'prn_2', after: 'a' }));
  await new Promise(setImmediate);
  expect(begun).toEqual(['prn_1 a', 'prn_1 b', 'prn_2 a']);
  held.resolve();
  await Promise.all(opened);
  expect(begun).toHaveLength(5);
  streams.close();
});

test('listeners who take much are sent it over time, and no other principal waits for it', async () => {
  const read = async () => ({
    events: [{ ...event, body: 'x'.repeat(2_000) }],
    nextCursor: 'next',
    isEnd: false,
  });
  const streams = createEventStreams(
    { read, watch: () => never, logger },
    { perPrincipal: 9, charactersPerSecond: 20_000 },
  );
  // Read and sent, each event costs four times its length; the first half of a second is free.
  const startedAt = performance.now();
  await readAll(await streams.open(following), 4);
  expect(performance.now() - startedAt).toBeGreaterThan(500);
  // For a quarter of a minute.
  const greedy = streams.open(following).then((stream) => readAll(stream, 40));
  const modest = await readAll(await streams.open({ ...following, principalId: 'prn_2' }), 2);
  expect(modest.texts).toHaveLength(2);
  streams.close();
  expect((await greedy).texts.length).toBeLessThan(40);
});

test('listeners who wait for their share end at once with the service', async () => {
  const read = async () => ({
    events: [{ ...event, body: 'x'.repeat(2_000) }],
    nextCursor: 'next',
    isEnd: false,
  });
  const limits = { perPrincipal: 64, charactersPerSecond: 4_000 };
  const streams = createEventStreams({ read, watch: () => never, logger }, limits);
  const opened = Array.from({ length: limits.perPrincipal }, () => streams.open(following));
  // Together they would be sent for half a minute.
  const taking = (await Promise.all(opened)).map((stream) => readAll(stream, 2));
  const startedAt = performance.now();
  await new Promise(setImmediate);
  streams.close();
  await Promise.all(taking);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test('nothing more is sent once access is withdrawn, whatever was read before', async () => {
  let isWithdrawn = false;
  const requireAccess = async () => {
    if (isWithdrawn) throw new Error('withdrawn');
  };
  const read = async () => ({ events: [event, event, event], nextCursor: 'next', isEnd: true });
  const streams = createEventStreams({ read, watch: () => never, logger }, { perPrincipal: 9 });
  const reader = (await streams.open({ ...following, requireAccess })).getReader();
  const texts: string[] = [];
  const take = async () => {
    const { value } = await reader.read();
    if (value) texts.push(new TextDecoder().decode(value));
  };
  await take();
  await take();
  isWithdrawn = true;
  for (let at = 0; at < 4; at++) await take().catch(() => {});
  // The position, the event that was taken, and at most one that was already on its way.
  expect(texts.length).toBeLessThanOrEqual(3);
  streams.close();
});
