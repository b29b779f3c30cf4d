/**
 * Preloaded into a process under test: five times a second prints how long its main thread was blocked, and
 * its memory. `heldMs` is the processor time of the main thread between two ticks of a 5 ms timer, including
 * garbage collection. It is an upper bound: waiting for a busy processor does not count, and up to one tick
 * of earlier work does.
 */
const tickMs = 5;
const printMs = 200;

let since = performance.now();
let usage = process.threadCpuUsage();
let heldMs = 0;
let lateMs = 0;

setInterval(() => {
  const now = performance.now();
  const { user, system } = process.threadCpuUsage(usage);
  heldMs = Math.max(heldMs, (user + system) / 1_000);
  lateMs = Math.max(lateMs, now - since - tickMs);
  since = now;
  usage = process.threadCpuUsage();
}, tickMs).unref();

setInterval(() => {
  const residentMb = process.memoryUsage.rss() / 1e6;
  process.stdout.write(`${JSON.stringify({ watch: { heldMs, lateMs, residentMb } })}\n`);
  heldMs = 0;
  lateMs = 0;
}, printMs).unref();

export {};
