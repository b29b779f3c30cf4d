/**
 * Preloaded into a process under test: prints five times a second how long its main thread was held at a time, and what it holds.
 *
 * `heldMs` is what the main thread computed between two ticks of a timer of 5 ms, garbage collection included. It is a bound: what
 * waits for the processor because others have it does not count, and up to a tick of the work before does.
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
