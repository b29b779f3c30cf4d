import { createServer } from 'node:http';

/**
 * Loaded into a process under test: tells for how long its event loop computes at a time, and how much memory it has needed.
 *
 * Computing is processor time of the main thread, so that other programs on the machine do not count. It is read once in each
 * turn of the loop: what is read more than was read in the turn before was computed with nobody else having a turn.
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

const server = createServer((_request, response) => {
  measure();
  const { maxRSS } = process.resourceUsage();
  response.end(JSON.stringify({ longestMs, computedMs: last, peakBytes: maxRSS * 1_024 }));
  longestMs = 0;
});
server.listen(Number(process.env.TURN_PROBE_PORT), '127.0.0.1');
server.unref();
