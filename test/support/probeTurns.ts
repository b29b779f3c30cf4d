/** Measures the processor time of this thread's longest turn of the event loop, in milliseconds. */
export function probeTurns(): { end(): number } {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  let next: NodeJS.Immediate;
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
    next = setImmediate(look);
  };
  next = setImmediate(look);
  return {
    end() {
      look();
      clearImmediate(next);
      return longestMs;
    },
  };
}
