import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../src/cli/devtools/postgres.ts';
import { summarise } from './distribution.ts';
import { measureDeliveries } from './webhooks.ts';

export type WebhooksCommand = { receivers: number; rounds: number; profile?: string };

/** Measures deliveries on its own PostgreSQL and processes, prints the results and returns them. */
export async function runWebhookBenchmark(options: WebhooksCommand) {
  const { profile } = options;
  const directory = await mkdtemp(join(tmpdir(), 'agreements-bench-'));
  const server = await startPostgres({ dataDirectory: directory });
  try {
    const rounds = await measureDeliveries({
      ...options,
      databaseUrl: server.localUrl,
      nodeFlags: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
      onProgress: (message) => console.error(message),
    });
    const median = (values: number[]) => Math.round(summarise(values).p50);
    const alone = median(rounds.map(({ alonePerSecond }) => alonePerSecond));
    const anchor = median(rounds.map(({ anchorPerSecond }) => anchorPerSecond));
    const kept = rounds.map((round) => (100 * round.disturbedPerSecond) / round.alonePerSecond);
    const memory = rounds.flatMap(({ residentMb }) => residentMb);
    console.log(`${options.receivers} receivers, medians of ${rounds.length} rounds
bare signed posts        ${anchor} a second
deliveries               ${alone} a second, ${Math.round((100 * alone) / anchor)} % of bare posts
beside a dead and a slow ${median(rounds.map(({ disturbedPerSecond }) => disturbedPerSecond))} a second, ${summarise(kept).p50} % of alone
processor time           ${median(rounds.map(({ anchorCpuUs }) => anchorCpuUs))} µs a bare post, ${median(rounds.map(({ aloneCpuUs }) => aloneCpuUs))} µs a delivery
memory after each drain  ${memory.join(' → ')} MB`);
    return { options, rounds };
  } finally {
    await server.stop();
    await rm(directory, { recursive: true });
  }
}
