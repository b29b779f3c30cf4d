/** Without both it is a comment, such as a heartbeat. */
export type Block = { readonly id: string | undefined; readonly data: string | undefined };

/**
 * The blocks of a stream of server-sent events. They end with the stream, or once nothing has come for `silenceMs`: a
 * connection may be gone without anybody saying so.
 */
export async function* readBlocks(
  stream: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readChunks(stream, silenceMs)) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const read = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { id: read('id'), data: read('data') };
    }
  }
}

/** Not every browser iterates over streams. */
async function* readChunks(
  stream: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  // A cancelled stream counts as read to its end.
  const giveUp = () => void reader.cancel().catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      timer = setTimeout(giveUp, silenceMs);
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
    await stream.cancel().catch(() => undefined);
  }
}
