/** Repeats a piece of housekeeping until it is closed. After a failure it tries again the next time. */
export function startSweep({
  sweep,
  intervalMs,
  onFailure,
}: {
  sweep(): Promise<unknown>;
  intervalMs: number;
  onFailure(error: unknown): void;
}): { close(): Promise<void> } {
  let work: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    work = sweep().catch(onFailure);
  }, intervalMs);
  return {
    async close() {
      clearInterval(timer);
      await work;
    },
  };
}
