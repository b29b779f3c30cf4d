import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../src/cli/devtools/postgres.ts';
import { describeDistribution } from './distribution.ts';
import { measureRelay, type RelayResult } from './relay.ts';
import type { Throughput } from './relayThroughput.ts';

export type RelayCommand = {
  seconds: number;
  wallets: number;
  blockSeconds: number;
  concurrency: number;
  perSecond: number;
  profile?: string;
};

/**
 * A part that lasted less than this share of its time ran out of inputs: raise --per-second. A part is measured from
 * block to block, and without its beginning.
 */
const leastShare = 0.7;

/**
 * The database's settings for this load; every commit reaches the disk. A server that has run for a while reuses its WAL
 * files instead of filling new ones.
 */
const databaseSettings = { shared_buffers: '1GB', max_wal_size: '8GB', wal_init_zero: 'off' };

/** Measures the relay on its own PostgreSQL, chain and processes, prints the results and returns them. */
export async function runRelayBenchmark(
  options: RelayCommand,
): Promise<RelayResult & { options: RelayCommand }> {
  const { profile } = options;
  const directory = await mkdtemp(join(tmpdir(), 'agreements-bench-'));
  const server = await startPostgres({ dataDirectory: directory, settings: databaseSettings });
  try {
    const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const result = await measureRelay({
      ...options,
      databaseUrl: server.localUrl,
      nodeFlags: { api: flags, worker: flags },
      onProgress: (message) => console.error(message),
    });
    print(options, result);
    return { ...result, options };
  } finally {
    await server.stop();
    await rm(directory, { recursive: true });
  }
}

function print(
  { wallets, concurrency, blockSeconds, seconds: wanted }: RelayCommand,
  { direct, outbox, api, acceptance }: RelayResult,
): void {
  const share = ({ perSecond }: Throughput) =>
    `${Math.round((100 * perSecond) / direct.perSecond)} % of direct`;
  const cpu = ({ cpuMs }: Pick<Throughput, 'cpuMs'>) =>
    Object.entries(cpuMs)
      .map(([name, ms]) => `${name} ${ms} ms`)
      .join(', ');
  const rate = ({ perSecond, mined, seconds }: Throughput) =>
    `${perSecond} a second (${mined} in ${seconds} s${seconds < leastShare * wanted ? ': all that was signed beforehand was used up' : ''})`;
  console.log(`${wallets} wallets, ${concurrency} requests at a time, a block every ${blockSeconds} s, rate limits raised to 1000000 a second
direct sends      ${rate(direct)}
  processor time each  ${cpu(direct)}
outbox alone      ${rate(outbox)}, ${share(outbox)}
  processor time each  ${cpu(outbox)}
through the API   ${rate(api)}, ${share(api)}
  processor time each  ${cpu(api)}
  request → answer     ${describeDistribution(api.answerMs, 'ms')}
  accepted → mined     ${describeDistribution(api.minedMs, 'ms')}
at half of that load, ${acceptance.perSecond} a second
  processor time each  ${cpu(acceptance)}
  request → accepted   ${describeDistribution(acceptance.acceptedMs, 'ms')}
  request → answer     ${describeDistribution(acceptance.answerMs, 'ms')}
  calls to the node    ${acceptance.nodeCalls}`);
}
