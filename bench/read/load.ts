import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { loadShape } from './sendLoad.ts';

/** A process of its own, so that what asks takes nothing from what answers but its part of the machine. */
const { url, connections, seconds, headers, requests } = loadShape.parse(
  JSON.parse(await text(process.stdin)),
);
const result = await autocannon({ url, connections, duration: seconds, headers, requests });
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    total: result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
  }),
);
