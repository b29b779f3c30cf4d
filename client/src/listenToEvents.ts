import { readServerEvents } from './http/readServerEvents.ts';
import type { CallOptions } from './http/transport.ts';
import type { AgreementEvent } from './types.ts';

export type OpenEvents = (
  query: { after: string | undefined },
  options: CallOptions,
) => Promise<ReadableStream<Uint8Array>>;

/** A message of a stream: a cursor, and the event before it, if any. */
export type Heard = { readonly event: AgreementEvent | undefined; readonly cursor: string | undefined };

/**
 * The service sends the stream's position as soon as it is open. A proxy that holds that back holds back
 * everything.
 */
const openedWithinMs = 5_000;
/** The service sends something every 15 seconds. */
const silentForMs = 45_000;

/**
 * The feed after a cursor, from the service's stream, until the stream ends, breaks or falls silent. It does
 * not report why; the next page of the feed does.
 */
export async function* listenToEvents(
  open: OpenEvents,
  { after, signal }: { after: string | undefined; signal: AbortSignal | undefined },
): AsyncGenerator<Heard, void, undefined> {
  const ending = new AbortController();
  const ended = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  const end = () => ending.abort();
  let timer = setTimeout(end, openedWithinMs);
  try {
    const stream = await open({ after }, { signal: ended, maxRetries: 0 });
    for await (const { id, data } of readServerEvents(stream, ended)) {
      clearTimeout(timer);
      if (id !== undefined) yield { cursor: id, event: data === undefined ? undefined : readEvent(data) };
      timer = setTimeout(end, silentForMs);
    }
  } catch {
    // The caller requests the next page, which reports the error.
  } finally {
    clearTimeout(timer);
    end();
  }
}

function readEvent(data: string): AgreementEvent {
  const event: AgreementEvent = JSON.parse(data);
  return event;
}
