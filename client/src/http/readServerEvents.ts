/** One block of a stream of server-sent events, whose data are one line; a comment has neither member. */
export type ServerEvent = { readonly id?: string; readonly data?: string };

/**
 * The blocks of a stream as they come, comments too, until it ends or the signal does. A block that was cut off is not handed out.
 * Whoever stops reading cancels the stream.
 *
 * @throws whatever breaks the stream.
 */
export async function* readServerEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  // A stream that broke cannot be cancelled any more.
  const cancel = () => reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) await cancel();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield readBlock(block);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancel();
  }
}

function readBlock(block: string): ServerEvent {
  return Object.fromEntries([...block.matchAll(/^(id|data): ?(.*)$/gm)].map((field) => field.slice(1)));
}
