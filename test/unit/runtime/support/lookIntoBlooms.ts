import { type Hex, hexToBytes, keccak256, numberToHex } from 'viem';
import { rememberHashes } from '../../../../src/indexer/runtime/rememberHashes.ts';

/**
 * Has Ponder look for addresses and topics in the bloom filters of blocks in turn. Prints what it finds, and the milliseconds that
 * it takes for the logs of a busy block. With the argument `unedited`, Ponder is as it comes.
 */
if (process.argv[2] !== 'unedited') rememberHashes();

const { isInBloom } = await import(new URL('sync-realtime/bloom.js', import.meta.resolve('ponder')).href);

const topic = (number: number) => numberToHex(number, { size: 32 });
const bloomBytes = 256;

/** The bloom filter of Ethereum's Yellow Paper, 4.3.1. */
function buildBloom(topics: readonly Hex[]): Hex {
  const bloom = new Uint8Array(bloomBytes);
  for (const hash of topics.map((each) => hexToBytes(keccak256(each)))) {
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff;
      const place = bloomBytes - 1 - (bit >> 3);
      bloom[place] = (bloom[place] ?? 0) | (1 << (bit & 7));
    }
  }
  return `0x${Buffer.from(bloom).toString('hex')}`;
}

const some = Array.from({ length: 40 }, (_, number) => topic(number));
const blooms = [buildBloom(some.slice(0, 20)), buildBloom(some.slice(10)), buildBloom([])];
// Each topic in each filter, also after another filter.
const found = [0, 1, 2, 1, 0].map((at) => some.map((each) => isInBloom(blooms[at], each)));

// Its bytes change after the first look, so that only a remembered hash still says that it is there.
const changing = hexToBytes(some[0] ?? '0x');
const looks = [isInBloom(blooms[0], changing)];
changing.fill(0xff);
looks.push(isInBloom(blooms[0], changing));

/** Of 3,000 logs of 300 contracts: one of thirty events, between two of 2,000 accounts. */
const logs = Array.from({ length: 3_000 }, (_, log) => [
  log % 300,
  1_000 + (log % 30),
  2_000 + (log % 2_000),
  3_000 + ((log * 7) % 2_000),
]);
const full: Hex = `0x${'ff'.repeat(bloomBytes)}`;
const startedAt = performance.now();
for (const log of logs) for (const number of log) isInBloom(full, topic(number));
console.log(JSON.stringify({ found, looks, busyMs: Math.round(performance.now() - startedAt) }));
