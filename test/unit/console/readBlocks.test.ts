import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Block, readBlocks } from '../../../console/src/service/readBlocks.ts';

const silenceMs = 45_000;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that sends what it is told to, and the blocks that are read from it. */
function connect() {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const seen = { blocks: [] as Block[], isCancelled: false, hasEnded: false };
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      seen.isCancelled = true;
    },
  });
  const read = async () => {
    for await (const block of readBlocks(stream, silenceMs)) seen.blocks.push(block);
    seen.hasEnded = true;
  };
  void read();
  return {
    seen,
    async send(text: string) {
      controller?.enqueue(encoder.encode(text));
      await vi.advanceTimersByTimeAsync(0);
    },
    end: () => controller?.close(),
  };
}

test('blocks are read whole, however they are cut on the way, and comments are empty blocks', async () => {
  const { seen, send } = connect();
  for (const part of ['id: 1\n\nid: 2\neve', 'nt: x\ndata: {"a"', ':1}\n\n: heart', 'beat\n\n'])
    await send(part);
  expect(seen.blocks).toEqual([
    { id: '1', data: undefined },
    { id: '2', data: '{"a":1}' },
    { id: undefined, data: undefined },
  ]);
});

test('a connection with heartbeats stays, and a silent one is given up', async () => {
  const { seen, send } = connect();
  for (let beats = 0; beats < 10; beats++) {
    await send(': heartbeat\n\n');
    await vi.advanceTimersByTimeAsync(15_000);
  }
  expect(seen).toMatchObject({ hasEnded: false, isCancelled: false });
  await vi.advanceTimersByTimeAsync(silenceMs);
  expect(seen).toMatchObject({ hasEnded: true, isCancelled: true });
});

test('the blocks end with the stream, and no timer is left', async () => {
  const { seen, send, end } = connect();
  await send('id: 1\n\n');
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(seen).toMatchObject({ hasEnded: true, isCancelled: false });
  expect(vi.getTimerCount()).toBe(0);
});
