/** Milliseconds of this thread's processor time for some work, independent of other load on the machine. */
export function busyMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
