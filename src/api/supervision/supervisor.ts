import { setTimeout as delay } from 'node:timers/promises';
import type { Child, Exit } from './child.ts';

const initialDelayMs = 200;
const longestDelayMs = 5_000;
const defaultRestarts = { most: 6, withinMs: 60_000 };

export type SupervisorOptions = {
  start(): Child;
  /** Called whenever the process is there, again after each restart. */
  onStarted?: (child: Child) => void;
  /** Called when the process ended by itself and will be started again after `delayMs`. */
  onRestart(exit: Exit, delayMs: number): void;
  /** Called when it ended too often to be started again; nothing more happens then. */
  onGivenUp(exit: Exit): void;
  /** How many restarts within which time are too many to go on: by default 6 a minute. */
  restarts?: { most: number; withinMs: number };
};

export type Supervisor = {
  /** Stops the process and does not start it again; resolves when it is gone. */
  stop(): Promise<void>;
  /** As `stop`, but at once and by force. */
  kill(): Promise<void>;
};

/** Keeps a process running: one that ends without being asked to is started again, later and later, until it is given up. */
export function supervise(options: SupervisorOptions): Supervisor {
  const { most, withinMs } = options.restarts ?? defaultRestarts;
  const stopping = new AbortController();
  let child = start();
  const ended = keepRunning();

  function start(): Child {
    const started = options.start();
    options.onStarted?.(started);
    return started;
  }

  async function keepRunning(): Promise<void> {
    let restarts: number[] = [];
    for (;;) {
      const exit = await child.exited;
      if (stopping.signal.aborted) return;
      const now = Date.now();
      restarts = restarts.filter((at) => now - at < withinMs);
      if (restarts.length >= most) return options.onGivenUp(exit);
      const delayMs = Math.min(initialDelayMs * 2 ** restarts.length, longestDelayMs);
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
