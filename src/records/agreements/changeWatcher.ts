import type { Logger } from 'pino';
import { channels } from '../../platform/database/channels.ts';
import { listen } from '../../platform/database/listen.ts';

/** Of whose waits no more than this number wait; a further one reads once. */
export type WaitingOwner = { readonly name: string; readonly mostWaiting: number };

export type Wait<Value> = {
  /**
   * The kinds of things whose changes can be awaited: transactions, records, deliveries, principals with
   * their feeds, and chains by their ids as text.
   */
  readonly ids: readonly string[];
  read(): Promise<Value>;
  isSettled(value: Value): boolean;
  readonly timeoutMs: number;
  readonly owner?: WaitingOwner | undefined;
  /** Before this, nothing to read can settle it. */
  readonly first?: Promise<void> | undefined;
};

/** Sees the first change of something that does not exist yet, so none is missed. */
export type Watch = { readonly changed: Promise<void>; end(): void };

export type ChangeWatcher = {
  /** Resolves when notifications arrive. */
  readonly ready: Promise<void>;
  /**
   * Reads now and after every change until the value is settled or the time is up, and returns the last
   * value.
   */
  waitFor<Value>(wait: Wait<Value>): Promise<Value>;
  /** Begins to watch for a change; the caller must end the watch. */
  watch(id: string): Watch;
  /** Ends all waits with their last values. */
  close(): Promise<void>;
};

/** Notifications may be lost with their connection; this bounds how old a value can get meanwhile. */
const rereadMs = 2_000;

/** Lets requests wait for the work of other processes, over one listening connection for all of them. */
export function createChangeWatcher(options: {
  databaseUrl: string;
  onAccessChanged(): void;
  logger: Logger;
}): ChangeWatcher {
  const waiting = new Map<string, Set<() => void>>();
  const waitingOf = new Map<string, number>();
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
      // Whoever follows a principal's feed must learn that its access has ended.
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

  const count = (name: string, change: 1 | -1) => {
    const left = (waitingOf.get(name) ?? 0) + change;
    if (left > 0) waitingOf.set(name, left);
    else waitingOf.delete(name);
  };

  return {
    ready: listener.ready,
    watch(id) {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      subscribe([id], resolve);
      return { changed, end: () => unsubscribe([id], resolve) };
    },
    async waitFor({ ids, read, isSettled, timeoutMs, owner, first }) {
      if (owner && (waitingOf.get(owner.name) ?? 0) >= owner.mostWaiting) return read();
      const giveUpAt = performance.now() + timeoutMs;
      let change = Promise.withResolvers<void>();
      const resume = () => change.resolve();
      subscribe(ids, resume);
      if (owner) count(owner.name, 1);
      try {
        if (first && !closing.signal.aborted) await changeOrTimeout(first, Math.min(rereadMs, timeoutMs));
        for (;;) {
          // Set before reading, so that a change during the read is not missed.
          change = Promise.withResolvers();
          const value = await read();
          const remainingMs = giveUpAt - performance.now();
          if (isSettled(value) || remainingMs <= 0 || closing.signal.aborted) return value;
          await changeOrTimeout(change.promise, Math.min(rereadMs, remainingMs));
        }
      } finally {
        unsubscribe(ids, resume);
        if (owner) count(owner.name, -1);
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
