const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C arrives twice if npm forwards the signal that the terminal has already sent. */
const sameRequestMs = 1_000;
const parentPollMs = 1_000;

/**
 * Calls `stop` when this process is asked to stop, and `force` on the second request. A process started by
 * npm is also asked to stop by npm's end.
 */
export function onStopRequest({ stop, force }: { stop(cause: string): void; force(): void }): void {
  let firstAt: number | undefined;
  const request = (cause: string) => {
    const now = Date.now();
    if (firstAt === undefined) {
      firstAt = now;
      stop(cause);
    } else if (now - firstAt > sameRequestMs) force();
  };
  for (const signal of stopSignals) process.on(signal, () => request(signal));

  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    request('the end of npm');
  }, parentPollMs);
  watch.unref();
}
