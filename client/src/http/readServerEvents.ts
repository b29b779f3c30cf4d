/** One block of a stream of server-sent events with one line of data; a comment has neither member. */
export type ServerEvent = { readonly id?: string; readonly data?: string };

/**
 * The blocks of a stream, including comments, until it or the signal ends. A truncated block is dropped. If
 * the caller stops reading, the stream is cancelled.
 *
 * @throws whatever breaks the stream.
 */
export async function* readServerEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  // A broken stream cannot be cancelled any more.
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

/** Only CR and LF end a line: JSON texts may contain U+2028 and U+2029, which `^` and `.` take for line ends. */
function readBlock(block: string): ServerEvent {
  return Object.fromEntries(
    [...block.matchAll(/(?<![^\r\n])(id|data): ?([^\r\n]*)/g)].map((field) => field.slice(1)),
  );
}
