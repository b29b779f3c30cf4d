import { AgreementsError } from './errors.ts';
import type { Paged } from './http/paged.ts';
import { pause, planRetry } from './http/retry.ts';
import type { CallOptions } from './http/transport.ts';
import type { AgreementEvent } from './types.ts';

export type FollowOptions = {
  /** The cursor of the last event that was dealt with; the feed from its beginning without one. */
  readonly after?: string | undefined;
  /** How long the feed rests once it has given all. Default 1,000. */
  readonly pollMs?: number | undefined;
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
};

export type FollowedEvent = {
  readonly event: AgreementEvent;
  /**
   * Keep it once the event is dealt with, and go on from it after a restart. It never skips an event; those that came in the
   * same page as the event may come again, under the same ids.
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
 * Hands out each event of the feed once, in order, and waits for those to come until the signal or a `break` ends it. It goes on
 * by itself after failures that pass, however long they last.
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
  list: ListEvents,
  { after, pollMs = defaultPollMs, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  let cursor = after;
  let failures = 0;
  while (!signal?.aborted) {
    try {
      const { data, pageInfo } = await list({ after: cursor, limit: pageSize }, { signal });
      const next = pageInfo.nextCursor ?? cursor;
      failures = 0;
      for (const [at, event] of data.entries())
        yield { event, cursor: at === data.length - 1 ? next : cursor };
      cursor = next;
      if (data.length < pageSize) await rest(pollMs, signal);
    } catch (error) {
      if (signal?.aborted) return;
      const delayMs = error instanceof AgreementsError ? planRetry(error, failures++) : undefined;
      if (delayMs === undefined) throw error;
      await rest(delayMs, signal);
    }
  }
}

async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // A signal ends the loop at its head.
  await pause(ms, signal).catch(() => undefined);
}
