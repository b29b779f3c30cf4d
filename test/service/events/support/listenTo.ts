import { setImmediate } from 'node:timers/promises';
import { waitUntil } from '../../../support/waitUntil.ts';

/** A client that follows a feed like a browser. */
export type SseListener = {
  readonly response: Response;
  /** Waits for this number of further events, and returns their ids. */
  take(count: number): Promise<string[]>;
  /** The Last-Event-ID that a browser sends when it reconnects: the cursor after the last taken event. */
  lastEventId(): string;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
};

/** Follows the event stream. Events that arrive but are not taken count as lost on the way. */
export async function listenTo(
  baseUrl: string,
  { key, after, lastEventId }: { key: string; after?: string; lastEventId?: string },
): Promise<SseListener> {
  const abort = new AbortController();
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  const response = await fetch(`${baseUrl}/v0/events/stream${query}`, {
    headers: { 'x-api-key': key, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  const told: { id: string; cursor: string }[] = [];
  let cursor = lastEventId ?? '';
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const reading = read(response, {
    onBlock({ id, data }) {
      if (data !== undefined) told.push({ id: String(Object(JSON.parse(data)).id), cursor: id ?? '' });
      else if (told.length === 0 && id !== undefined) cursor = id;
    },
  }).then(resolve, () => {});
  return {
    response,
    ended,
    lastEventId: () => cursor,
    async take(count) {
      await waitUntil(`${count} events are told`, async () => told.length >= count);
      const taken = told.splice(0, count);
      cursor = taken.at(-1)?.cursor ?? cursor;
      return taken.map(({ id }) => id);
    },
    async close() {
      abort.abort();
      await reading;
      // Closing very many must not block the service, which may be in the same process.
      await setImmediate();
    },
  };
}

type Block = { id?: string; data?: string };

/** Reads blocks as defined by the standard of server-sent events. */
async function read({ body }: Response, { onBlock }: { onBlock(block: Block): void }): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').flatMap((line) => {
        const [, name = '', value = ''] = /^(id|data): (.*)$/.exec(line) ?? [];
        return name === '' ? [] : [[name, value]];
      });
      onBlock(Object.fromEntries(fields));
    }
  }
}
