import type { Logger } from 'pino';
import { channels } from '../../platform/database/channels.ts';
import { listen } from '../../platform/database/listen.ts';

export type Wait<Value> = {
  /** The transactions, records, deliveries and principals with their feeds, and the chains by their ids as text, whose changes matter. */
  readonly ids: readonly string[];
  read(): Promise<Value>;
  isSettled(value: Value): boolean;
  readonly timeoutMs: number;
  /** Before this, nothing can be there to be read that settles it. */
  readonly first?: Promise<void> | undefined;
};

/** Sees the first change of something that is not there yet, and so none is missed. */
export type Watch = { readonly changed: Promise<void>; end(): void };

export type Changes = {
  /** Resolves when notifications arrive. */
  readonly ready: Promise<void>;
  /** Reads now and after every change until the value is settled or the time is up, and returns what it read last. */
  waitFor<Value>(wait: Wait<Value>): Promise<Value>;
  /** Begins to watch for a change; whoever does has to end it. */
  watch(id: string): Watch;
  /** Ends all waits with what was read last. */
  close(): Promise<void>;
};

/** Notifications may get lost with their connection; until the next one, this is how old a value can get. */
const rereadMs = 2_000;

/** Lets requests wait for what worker processes do, over one listening connection for all of them. */
export function createChanges(options: {
  databaseUrl: string;
  onAccessChanged(): void;
  logger: Logger;
}): Changes {
  const waiting = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  const wake = (id: string) => {
    for (const resume of waiting.get(id) ?? []) resume();
  };
  const wakeAll = () => {
    for (const id of waiting.keys()) wake(id);
  };

  const listener = listen({
    url: options.databaseUrl,
    channels: [
      channels.transactionChanged,
      channels.recordChanged,
      channels.chainFolded,
      channels.deliveryChanged,
      channels.eventsReleased,
      channels.accessChanged,
    ],
    onNotification(channel, payload) {
      // Whoever follows the feed of a principal has to see whether it still may.
      if (channel === channels.accessChanged) options.onAccessChanged();
      wake(payload);
    },
    onConnected() {
      options.onAccessChanged();
      wakeAll();
    },
    logger: options.logger,
  });

  const subscribe = (ids: readonly string[], resume: () => void) => {
    for (const id of ids) {
      const resumes = waiting.get(id) ?? new Set();
      waiting.set(id, resumes.add(resume));
    }
  };
  const unsubscribe = (ids: readonly string[], resume: () => void) => {
    for (const id of ids) {
      const resumes = waiting.get(id);
      resumes?.delete(resume);
      if (resumes?.size === 0) waiting.delete(id);
    }
  };

  return {
    ready: listener.ready,
    watch(id) {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      subscribe([id], resolve);
      return { changed, end: () => unsubscribe([id], resolve) };
    },
    async waitFor({ ids, read, isSettled, timeoutMs, first }) {
      const giveUpAt = performance.now() + timeoutMs;
      let change = Promise.withResolvers<void>();
      const resume = () => change.resolve();
      subscribe(ids, resume);
      try {
        if (first && !closing.signal.aborted) await changeOrTimeout(first, Math.min(rereadMs, timeoutMs));
        for (;;) {
          // Set before reading, so that a change during the read is not slept through.
          change = Promise.withResolvers();
          const value = await read();
          const remainingMs = giveUpAt - performance.now();
          if (isSettled(value) || remainingMs <= 0 || closing.signal.aborted) return value;
          await changeOrTimeout(change.promise, Math.min(rereadMs, remainingMs));
        }
      } finally {
        unsubscribe(ids, resume);
      }
    },
    async close() {
      closing.abort();
      wakeAll();
      await listener.close();
    },
  };
}

async function changeOrTimeout(change: Promise<void>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([change, timeout.promise]);
  clearTimeout(timer);
}
