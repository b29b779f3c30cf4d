import { setTimeout as delay } from 'node:timers/promises';
import type { Child, Exit } from './child.ts';

const initialDelayMs = 200;
/** One that has worked for so long is started again without the delays of earlier ends. */
const defaultSettledMs = 10_000;
const defaultRestarts: RestartLimit = { most: 6, withinMs: 60_000, longestDelayMs: 5_000 };

/** How many restarts within which time are too many to go on, and how long to wait before one at most. */
export type RestartLimit = { most: number; withinMs: number; longestDelayMs: number };

/** For a process without which others still are of use: it is started again for ever, later and later. */
export const unlimitedRestarts: RestartLimit = {
  most: Number.POSITIVE_INFINITY,
  withinMs: 600_000,
  longestDelayMs: 30_000,
};

export type SupervisorOptions = {
  start(): Child;
  /** Called whenever the process is there, again after each restart. */
  onStarted?: (child: Child) => void;
  /** Called when the process ended by itself and will be started again after `delayMs`. */
  onRestart(exit: Exit, delayMs: number): void;
  /** Called when it ended too often to be started again; nothing more happens then. */
  onGivenUp(exit: Exit): void;
  /** By default 6 a minute, and 5 seconds. */
  restarts?: RestartLimit | undefined;
  /** After how long a process counts as settled: by default 10 seconds. */
  settledMs?: number;
};

export type Supervisor = {
  /** Stops the process and does not start it again; resolves when it is gone. */
  stop(): Promise<void>;
  /** As `stop`, but at once and by force. */
  kill(): Promise<void>;
};

/**
 * Keeps a process running: one that ends without being asked to is started again until it is given up, later and later while it ends
 * soon after its starts.
 */
export function supervise(options: SupervisorOptions): Supervisor {
  const { most, withinMs, longestDelayMs } = options.restarts ?? defaultRestarts;
  const { settledMs = defaultSettledMs } = options;
  const stopping = new AbortController();
  let startedAt = 0;
  let child = start();
  const ended = keepRunning();

  function start(): Child {
    const started = options.start();
    startedAt = Date.now();
    options.onStarted?.(started);
    return started;
  }

  async function keepRunning(): Promise<void> {
    let restarts: number[] = [];
    let shortLives = 0;
    for (;;) {
      const exit = await child.exited;
      if (stopping.signal.aborted) return;
      const now = Date.now();
      restarts = restarts.filter((at) => now - at < withinMs);
      if (restarts.length >= most) return options.onGivenUp(exit);
      shortLives = now - startedAt < settledMs ? shortLives + 1 : 0;
      const delayMs = Math.min(initialDelayMs * 2 ** Math.max(0, shortLives - 1), longestDelayMs);
      restarts.push(now);
      options.onRestart(exit, delayMs);
      await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      child = start();
    }
  }

  return {
    async stop() {
      stopping.abort();
      await child.stop();
      await ended;
    },
    async kill() {
      stopping.abort();
      await child.kill();
      await ended;
    },
  };
}
