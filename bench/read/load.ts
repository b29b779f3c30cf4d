import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { loadShape } from './sendLoad.ts';

/**
 * Runs as a separate process, so that sending takes nothing from the answering process except a share of the
 * machine.
 */
const { url, connections, seconds, headers, requests } = loadShape.parse(
  JSON.parse(await text(process.stdin)),
);
const answeredMs: number[] = [];
const running = autocannon({ url, connections, duration: seconds, headers, requests });
// The library's own percentiles are whole milliseconds.
running.on('response', (_client, _status, _bytes, ms) => answeredMs.push(ms));
const result = await running;
answeredMs.sort((a, b) => a - b);
const percentile = (share: number) =>
  Math.round(100 * (answeredMs[Math.ceil(share * answeredMs.length) - 1] ?? 0)) / 100;
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    total: result.requests.total,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    // The library counts time-outs among the errors.
    failed: result.non2xx + result.errors - result.timeouts,
    overdue: result.timeouts,
  }),
);
