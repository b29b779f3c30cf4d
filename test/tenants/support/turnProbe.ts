import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * Loaded into a process under test: tells for how long its event loop computes at a time, and how much memory it has needed.
 *
 * Computing is processor time of the main thread, so that other programs on the machine do not count. It is read once in each
 * turn of the loop: what is read more than was read in the turn before was computed with nobody else having a turn.
 *
 * At `/anchor` it tells how long a fixed piece of work takes, for processors that others share are slower even so.
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
/** Processor time is counted in steps of up to four milliseconds: the work has to be longer. */
const repetitions = 20;
const measureAnchor = () => {
  const startedAt = computed();
  for (let count = 0; count < repetitions; count++) JSON.stringify(JSON.parse(work));
  return computed() - startedAt;
};

/** The most memory since the reading before, where Linux tells it; elsewhere the most ever. */
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
// Whoever asks keeps its connection, however long it does something else in between.
server.keepAliveTimeout = 0;
server.listen(Number(process.env.TURN_PROBE_PORT), '127.0.0.1');
server.unref();
