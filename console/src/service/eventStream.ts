import { AgreementsError, ApiError } from '../../../client/src/index.ts';
import type { AgreementEvent } from '../../../client/src/types.ts';
import { service } from './client.ts';
import { checkSession } from './queries.ts';

const restMs = 2_000;

type Following = {
  /** A cursor, `now`, or nothing for the beginning of the feed. */
  readonly after: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgreementEvent) => void;
  /** Whether the stream is connected. */
  readonly onConnection?: (isConnected: boolean) => void;
};

/**
 * Follows the feed until the signal or the loss of access ends it, each event once: after an interruption it
 * continues from the last id.
 */
export async function readEvents({ after, signal, onEvent, onConnection }: Following): Promise<void> {
  let place = after;
  while (!signal.aborted) {
    try {
      const stream = await service.events.openStream(place === '' ? {} : { after: place }, { signal });
      onConnection?.(true);
      for await (const { id, data } of parseStream(stream)) {
        if (id !== undefined) place = id;
        if (data !== undefined) onEvent(JSON.parse(data));
      }
    } catch (error) {
      if (signal.aborted) return;
      checkSession(error);
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return;
      if (!(error instanceof AgreementsError) && !(error instanceof TypeError)) throw error;
    }
    onConnection?.(false);
    await new Promise((resolve) => setTimeout(resolve, restMs));
  }
}

type Block = { readonly id: string | undefined; readonly data: string | undefined };

/** The blocks of a stream of server-sent events, without comments. */
async function* parseStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readChunks(stream)) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const read = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [id, data] = [read('id'), read('data')];
      if (id !== undefined || data !== undefined) yield { id, data };
    }
  }
}

/** Not every browser iterates over streams. */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
    await stream.cancel().catch(() => undefined);
  }
}
