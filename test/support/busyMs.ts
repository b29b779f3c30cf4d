/** Milliseconds of processor time of this thread for some work, whatever else the machine does meanwhile. */
export function busyMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
