/** Runs something, and measures the processor time of this thread's longest turn of the event loop meanwhile, in milliseconds. */
export async function measureLongestTurn<Result>(
  run: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number }> {
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
  try {
    const result = await run();
    look();
    return { result, longestMs };
  } finally {
    clearImmediate(next);
  }
}
