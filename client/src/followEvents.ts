import type { Paged } from './http/paged.ts';
import { pause, planRetry } from './http/retry.ts';
import type { CallOptions } from './http/transport.ts';
import { listenToEvents, type OpenEvents } from './listenToEvents.ts';
import type { AgreementEvent } from './types.ts';

export type FollowOptions = {
  /** The cursor of the last handled event; without one the feed from its beginning. */
  readonly after?: string | undefined;
  /** The pause between two polls without a stream. Default 1,000. */
  readonly pollMs?: number | undefined;
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
};

export type FollowedEvent = {
  readonly event: AgreementEvent;
  /**
   * Store it once the event is handled, and continue from it after a restart. It never skips an event. After
   * polling, events of the same page may come again, with the same ids.
   */
  readonly cursor: string | undefined;
};

type ListEvents = (
  query: { after: string | undefined; limit: number },
  options: CallOptions,
) => Paged<AgreementEvent>;

const defaultPollMs = 1_000;
const pageSize = 100;
/**
 * If a stream gave no event and ended this soon, it is not retried at once. Longer than a stream that is held back on
 * its way is listened to.
 */
const worthwhileMs = 10_000;
const retryStreamMs = 30_000;

/**
 * Yields each event of the feed once, in order, and waits for new ones until the signal or a `break` ends it.
 * It listens to the service's stream, and polls if no stream gets through. It recovers from temporary
 * failures by itself, however long they last or the service asks to wait.
 *
 * @throws ApiError for what does not pass, such as a key that was revoked or a cursor of another feed.
 *
 * @example
 * for await (const { event, cursor } of client.events.follow({ after: kept })) {
 *   await handle(event);
 *   kept = cursor;
 * }
 */
export async function* followEvents(
  { list, open }: { readonly list: ListEvents; readonly open: OpenEvents },
  { after, pollMs = defaultPollMs, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  let cursor = after;
  let failures = 0;
  let streamAt = 0;
  while (!signal?.aborted) {
    const startedAt = Date.now();
    if (startedAt >= streamAt) {
      let isWorthwhile = false;
      for await (const { event, cursor: next } of listenToEvents(open, { after: cursor, signal })) {
        cursor = next;
        if (!event) continue;
        isWorthwhile = true;
        yield { event, cursor };
      }
      if (!isWorthwhile && Date.now() < startedAt + worthwhileMs) streamAt = Date.now() + retryStreamMs;
    }
    try {
      const { data, pageInfo } = await list({ after: cursor, limit: pageSize }, { signal });
      const next = pageInfo.nextCursor ?? cursor;
      failures = 0;
      for (const [at, event] of data.entries())
        yield { event, cursor: at === data.length - 1 ? next : cursor };
      cursor = next;
      if (data.length < pageSize && Date.now() < streamAt) await rest(pollMs, signal);
    } catch (error) {
      if (signal?.aborted) return;
      const delayMs = planRetry(error, failures++, Number.POSITIVE_INFINITY);
      if (delayMs === undefined) throw error;
      await rest(delayMs, signal);
    }
  }
}

async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // A signal ends the loop at its start.
  await pause(ms, signal).catch(() => undefined);
}
