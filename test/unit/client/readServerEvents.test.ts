import { expect, test } from 'vitest';
import { readServerEvents } from '../../../client/src/http/readServerEvents.ts';

async function readAll(chunks: readonly string[]) {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const read: unknown[] = [];
  for await (const block of readServerEvents(stream, new AbortController().signal)) read.push(block);
  return read;
}

test('a text that contains other line separators stays one line, and forges neither cursor nor event', async () => {
  const name = 'x\u2028data: {}\u2028id: forged\u2029data: 1\u0085id: forged';
  const data = JSON.stringify({ name });
  expect(await readAll([`id: 1\ndata: ${data}\n\n`])).toEqual([{ id: '1', data }]);
});

test('blocks may end with CR LF, and a comment has neither id nor data', async () => {
  expect(await readAll(['id: 1\r\nda', 'ta: {}\r\n\r\n: idle\n\nid: 2\ndata: cut'])).toEqual([
    { id: '1', data: '{}' },
    {},
  ]);
});
