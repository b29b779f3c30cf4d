/** Something that was started, and how it ends. */
export type Running = { name: string; stop(): Promise<void>; kill(): Promise<void> };

/**
 * What a stack has started so far. It is stopped in the opposite order of starting, whatever the start got to, so that
 * nothing loses what it depends on.
 */
export type RunningStack = {
  add(running: Running): void;
  /** Stops everything; a part that does not stop as it should is reported and does not hold up the others. */
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
