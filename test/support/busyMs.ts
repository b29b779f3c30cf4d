/** Milliseconds of a processor that this thread needs for something, whatever else the machine does meanwhile. */
export function busyMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
