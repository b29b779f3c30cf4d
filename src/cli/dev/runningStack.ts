export type Running = { name: string; stop(): Promise<void>; kill(): Promise<void> };

/**
 * The started parts of a stack. They are stopped in reverse order, however far the start got, so that no part
 * loses what it depends on.
 */
export type RunningStack = {
  add(running: Running): void;
  /** Stops everything; a part that fails to stop is reported and does not delay the others. */
  stop(report: { stopped(name: string): void; failed(name: string, error: unknown): void }): Promise<void>;
  kill(): Promise<void>;
};

export function createRunningStack(): RunningStack {
  const parts: Running[] = [];
  return {
    add: (running) => parts.push(running),
    async stop({ stopped, failed }) {
      for (let part = parts.pop(); part; part = parts.pop()) {
        try {
          await part.stop();
          stopped(part.name);
        } catch (error) {
          failed(part.name, error);
        }
      }
    },
    async kill() {
      await Promise.allSettled(parts.map((part) => part.kill()));
    },
  };
}
