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
  await expect(streams.open(following)).rejects.toThrow('as many listeners');
  await cut;
  const { texts } = await readAll(await streams.open(following), 1);
  expect(texts).toEqual(['id: start\n\n']);
  streams.close();
});

test('nothing is read ahead of what a listener takes', async () => {
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
