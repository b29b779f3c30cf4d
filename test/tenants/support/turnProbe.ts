import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * Preloaded into a process under test: reports the longest turn of its event loop, and the memory that it has
 * needed.
 *
 * A turn's length is the main thread's processor time, so other programs on the machine do not count. The
 * probe reads it once in each turn of the loop: the difference between two readings was computed while nobody
 * else had a turn.
 *
 * At `/anchor` it reports the time of a fixed piece of work, because shared processors are slower even in
 * processor time.
 */
const tickMs = 1;

const computed = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let last = computed();
let longestMs = 0;
const measure = () => {
  const now = computed();
  longestMs = Math.max(longestMs, now - last);
  last = now;
};
setInterval(measure, tickMs).unref();

const work = JSON.stringify(
  Array.from({ length: 2_000 }, (_, at) => ({ name: `n${at}`, values: [at, String(at), { at }] })),
);
/** Processor time is counted in steps of up to four milliseconds, so the work must be longer. */
const repetitions = 20;
const measureAnchor = () => {
  const startedAt = computed();
  for (let count = 0; count < repetitions; count++) JSON.stringify(JSON.parse(work));
  return computed() - startedAt;
};

/** The most memory since the last reading, if Linux reports it; elsewhere the most memory ever. */
const readPeakKiB = () => {
  try {
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    writeFileSync('/proc/self/clear_refs', '5');
    return Number(peak);
  } catch {
    return process.resourceUsage().maxRSS;
  }
};

const server = createServer(({ url }, response) => {
  measure();
  if (url === '/anchor') {
    response.end(JSON.stringify({ anchorMs: measureAnchor() }));
    last = computed();
    return;
  }
  const { maxRSS } = process.resourceUsage();
  const recentPeakBytes = readPeakKiB() * 1_024;
  response.end(JSON.stringify({ longestMs, recentPeakBytes, peakBytes: maxRSS * 1_024 }));
  longestMs = 0;
});
// Keeps connections open, however long a client pauses between requests.
server.keepAliveTimeout = 0;
server.listen(Number(process.env.TURN_PROBE_PORT), '127.0.0.1');
server.unref();
