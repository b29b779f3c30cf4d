import { setTimeout as delay } from 'node:timers/promises';
import type { Child, Exit } from './child.ts';

const initialDelayMs = 200;
/** A process that has run this long is restarted without the delays of earlier ends. */
const defaultSettledMs = 10_000;
const defaultRestarts: RestartLimit = { most: 6, withinMs: 60_000, longestDelayMs: 5_000 };

/** The most restarts within a time before giving up, and the longest wait before one. */
export type RestartLimit = { most: number; withinMs: number; longestDelayMs: number };

/** For a process that others can do without: it is always restarted, with growing delays. */
export const unlimitedRestarts: RestartLimit = {
  most: Number.POSITIVE_INFINITY,
  withinMs: 600_000,
  longestDelayMs: 30_000,
};

export type SupervisorOptions = {
  start(): Child;
  /** Called whenever the process is running, also after each restart. */
  onStarted?: (child: Child) => void;
  /** Called when the process ended by itself and will be restarted after `delayMs`. */
  onRestart(exit: Exit, delayMs: number): void;
  /** Called when it ended too often to be restarted; nothing more happens then. */
  onGivenUp(exit: Exit): void;
  /** By default 6 a minute, and 5 seconds. */
  restarts?: RestartLimit | undefined;
  /** How long a process must run to count as settled; 10 seconds by default. */
  settledMs?: number;
};

export type Supervisor = {
  /** Does not restart the process any more. A running process goes on until it ends by itself or is stopped. */
  endRestarts(): void;
  /** Stops the process and does not restart it; resolves when it is gone. */
  stop(): Promise<void>;
  /** Like `stop`, but kills it at once. */
  kill(): Promise<void>;
};

/**
 * Keeps a process running. A process that ends without being asked to is restarted until it is given up, with
 * growing delays while it ends soon after its starts.
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
    endRestarts: () => stopping.abort(),
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

/**
 * Stops processes one after the other, each once the one before it is gone. None of them is started again meanwhile: a signal to a whole
 * control group may end those whose turn has not come.
 */
export async function stopInOrder<Name>(
  supervisors: ReadonlyMap<Name, Supervisor>,
  onStopped: (name: Name) => void = () => {},
): Promise<void> {
  for (const supervisor of supervisors.values()) supervisor.endRestarts();
  for (const [name, supervisor] of supervisors) {
    await supervisor.stop();
    onStopped(name);
  }
}
