import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { MalformedError, RateLimitedError, ServiceError } from '../../platform/errors/serviceError.ts';
import { type Allowance, createAllowance } from '../../platform/turns/allowance.ts';
import { createOwnPlaces } from '../../platform/turns/ownPlaces.ts';
import type { FeedPart } from '../../records/events/readFeed.ts';
import { writeSse } from './writeSse.ts';

export type Following = {
  readonly principalId: string;
  /** The cursor of the last known event. */
  readonly after: string;
  /** Throws once the listener has lost its access. */
  requireAccess(): Promise<void>;
  /** Closes the connection of a listener that reads nothing. */
  disconnect(): void;
};

export type EventStreams = {
  /**
   * The feed as server-sent events: everything after the cursor, then every new event, each once and with its
   * cursor as its id.
   *
   * @throws RateLimitedError if the principal has as many listeners here as it may have.
   * @throws MalformedError for a cursor of another feed.
   */
  open(following: Following): Promise<ReadableStream<Uint8Array>>;
  /** Ends all streams; their listeners reconnect elsewhere. */
  close(): void;
};

/** The most events per read, and their most bytes; a single larger event is read alone. */
const pageSize = 25;
const pageBytes = 128 * 1024;
/**
 * The most listeners of one principal with unread events; the others wait until some of these have read
 * theirs.
 */
const mostHolding = 64;
/** The most reads of one principal at a time, of the connections that all requests share. */
const mostReading = 2;
/**
 * The most that a principal's listeners are sent together. Those who take nothing are sent a megabyte and more each,
 * until the buffers of their connections are full.
 */
const usualCharactersPerSecond = 16 * 1024 * 1024;
/** A character that is read for them costs as much as so many that are sent. Listeners at the same position share a read. */
const readCost = 3;
const burstSeconds = 0.5;
const rememberedPrincipals = 10_000;
/** Data read before the stream begins are kept up to this size, and read again otherwise. */
const keptCharacters = 4_096;
const retryAfterSeconds = 5;
/** The interval of polls without activity; they find what a lost notification announced. */
const usualHeartbeatMs = 15_000;
/** A listener that reads nothing for this long is cut off, and may come back with its last cursor. */
const usualStallMs = 30_000;

export type EventStreamSettings = {
  /** The most listeners of one principal per process. */
  readonly perPrincipal: number;
  readonly heartbeatMs?: number;
  readonly stallMs?: number;
  /** By principal and process. */
  readonly charactersPerSecond?: number;
};

type Sources = {
  /** A part of a feed, from `readFeed`. */
  read(request: { principalId: string; after: string; limit: number; mostBytes: number }): Promise<FeedPart>;
  /** Resolves when a feed may have new events. */
  watch(principalId: string): { readonly changed: Promise<void>; end(): void };
  readonly logger: Logger;
};

/**
 * Lets any number of listeners follow feeds. Listeners at the same position share what is read, and each
 * takes events at its own speed. A listener holds only the part of the feed that it is reading.
 */
export function createEventStreams(
  { read, watch, logger }: Sources,
  {
    perPrincipal,
    heartbeatMs = usualHeartbeatMs,
    stallMs = usualStallMs,
    charactersPerSecond = usualCharactersPerSecond,
  }: EventStreamSettings,
): EventStreams {
  const listeners = new Map<string, Set<Listener>>();
  const reading = new Map<string, Promise<DatedPart>>();
  const places = createOwnPlaces(mostHolding);
  const readers = createOwnPlaces(mostReading);
  /** They outlive the listeners, who could otherwise come back for another burst. */
  const allowances = new LRUCache<string, Allowance>({ max: rememberedPrincipals });
  /** Numbers the beginnings of watches and reads, to order them. */
  let moment = 0;
  let isClosed = false;

  const allowanceOf = (principalId: string): Allowance => {
    const known = allowances.get(principalId);
    if (known) return known;
    const allowance = createAllowance({
      perSecond: charactersPerSecond,
      burst: burstSeconds * charactersPerSecond,
    });
    allowances.set(principalId, allowance);
    return allowance;
  };

  const readInPlace = async (principalId: string, after: string): Promise<DatedPart> => {
    await readers.enter(principalId);
    try {
      const begunAt = ++moment;
      const part = await read({ principalId, after, limit: pageSize, mostBytes: pageBytes });
      await allowanceOf(principalId).spend(readCost * countCharacters(part));
      return { ...part, begunAt };
    } finally {
      readers.leave(principalId);
    }
  };

  /** One of several concurrent requests for a part of a feed reads it for all. */
  const readShared = (principalId: string, after: string): Promise<DatedPart> => {
    const key = `${principalId} ${after}`;
    const known = reading.get(key);
    if (known) return known;
    const part = readInPlace(principalId, after);
    reading.set(key, part);
    const forget = () => reading.delete(key);
    part.then(forget, forget);
    return part;
  };

  /** The stream, block by block. */
  async function* follow(
    following: Following,
    { first, listener }: { first: DatedPart | undefined; listener: Listener },
  ): AsyncGenerator<string> {
    const { principalId, after, requireAccess } = following;
    let cursor = after;
    let kept = first;
    // So that a listener cut off before its first event comes back to this position.
    yield writeSse({ id: cursor });
    while (!listener.hasEnded) {
      const watchedAt = ++moment;
      const watched = watch(principalId);
      try {
        await requireAccess();
        await places.enter(principalId);
        let isEnd: boolean;
        try {
          if (listener.hasEnded) return;
          const page: DatedPart = kept ?? (await readShared(principalId, cursor));
          kept = undefined;
          for (const { type, body, cursor: next } of page.events) {
            await listener.until(allowanceOf(principalId).spend(body.length));
            if (listener.hasEnded) return;
            // It may have been withdrawn while the listener waited for its place, or was slow to take what came before.
            await requireAccess();
            yield writeSse({ id: next, event: type, data: body });
            cursor = next;
          }
          // An earlier read may lack events whose notification came before the watch.
          isEnd = page.isEnd && page.begunAt > watchedAt;
        } finally {
          places.leave(principalId);
        }
        if (isEnd && (await listener.wait(watched.changed, heartbeatMs)) === 'time') yield writeSse({});
      } finally {
        watched.end();
      }
    }
  }

  const remove = (principalId: string, listener: Listener) => {
    listener.end();
    const others = listeners.get(principalId);
    others?.delete(listener);
    if (others?.size === 0) listeners.delete(principalId);
  };

  return {
    async open(following) {
      const { principalId, after, disconnect } = following;
      const listener = createListener();
      const all = listeners.get(principalId) ?? new Set();
      if (isClosed || all.size >= perPrincipal)
        throw new RateLimitedError('The principal has reached its limit of open event streams.', {
          retryAfterSeconds,
        });
      listeners.set(principalId, all.add(listener));
      const leave = () => remove(principalId, listener);
      const first = await readShared(principalId, after).catch((error: unknown) => {
        leave();
        throw error;
      });
      const blocks = follow(following, {
        first: countCharacters(first) <= keptCharacters ? first : undefined,
        listener,
      });
      const encoder = new TextEncoder();
      let stall: NodeJS.Timeout | undefined;
      let isCancelled = false;
      const end = () => {
        clearTimeout(stall);
        leave();
        // Releases everything that it holds, wherever it is.
        void blocks.return(undefined);
      };
      const cut = () => {
        end();
        disconnect();
      };
      /** If nothing is requested within a time, the listener is gone or stuck. */
      const awaitDemand = () => {
        stall = setTimeout(cut, stallMs).unref();
      };
      awaitDemand();
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            clearTimeout(stall);
            try {
              const { value, done } = await blocks.next();
              if (isCancelled) return;
              if (done || listener.hasEnded) {
                end();
                controller.close();
                return;
              }
              awaitDemand();
              controller.enqueue(encoder.encode(value));
            } catch (error) {
              end();
              if (isCancelled) return;
              // A listener that has lost its access, or follows a restored feed, learns that when it comes
              // back.
              if (!(error instanceof ServiceError)) logger.warn({ err: error }, 'an event stream failed');
              controller.close();
            }
          },
          cancel() {
            isCancelled = true;
            end();
          },
        },
        { highWaterMark: 0 },
      );
    },
    close() {
      isClosed = true;
      for (const all of listeners.values()) for (const listener of all) listener.end();
    },
  };
}

/** A part of a feed, and the moment at which its read began. */
type DatedPart = FeedPart & { readonly begunAt: number };

function countCharacters({ events }: FeedPart): number {
  return events.reduce((sum, { body }) => sum + body.length, 0);
}

/** One listener: it waits for one thing at a time, and never longer than it stays connected. */
function createListener() {
  let hasEnded = false;
  let resume: ((why: 'change' | 'time' | 'end') => void) | undefined;
  return {
    get hasEnded() {
      return hasEnded;
    },
    async wait(changed: Promise<void>, timeoutMs: number): Promise<'change' | 'time' | 'end'> {
      if (hasEnded) return 'end';
      const { promise, resolve } = Promise.withResolvers<'change' | 'time' | 'end'>();
      resume = resolve;
      changed.then(() => resolve('change'));
      const timer = setTimeout(() => resolve('time'), timeoutMs).unref();
      const why = await promise;
      clearTimeout(timer);
      return why;
    },
    /** Waits for `earned`, but no longer than it stays connected. */
    async until(earned: Promise<void>): Promise<void> {
      if (hasEnded) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      resume = () => resolve();
      earned.then(resolve);
      await promise;
    },
    end() {
      hasEnded = true;
      resume?.('end');
    },
  };
}
type Listener = ReturnType<typeof createListener>;

/** The start position: the browser's stored position of a cut stream takes precedence over the query. */
export function chooseStart(lastEventId: string | null, after: string | undefined): string | undefined {
  if (lastEventId === null || lastEventId === '') return after;
  if (lastEventId.length <= maxCursor) return lastEventId;
  throw new MalformedError('The Last-Event-ID is invalid.', { field: 'Last-Event-ID' });
}

export const maxCursor = 400;
