import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startPostgres } from '../../src/api/dev/postgres.ts';
import { describeReport, isFlawless } from './describeReport.ts';
import { runExactlyOnce } from './runExactlyOnce.ts';

const program = new Command('test:events')
  .description(
    'Compares the events that a whole service releases and delivers, while it is killed and its chains are reorganised, with the chains.',
  )
  .option('--transitions <count>', 'on all chains together', parseCount, 1_000)
  .option('--agreements <count>', 'on each chain', parseCount, 4)
  .option('--life <seconds>', 'how long a worker lives at most', parseCount, 8)
  .option('--seed <number>', 'decides what happens when', parseCount, 1)
  .option('--log <file>', 'where the processes print to; nowhere by default')
  .parse();
const { transitions, agreements, life, seed, log } = program.opts<{
  transitions: number;
  agreements: number;
  life: number;
  seed: number;
  log?: string;
}>();

const directory = await mkdtemp(join(tmpdir(), 'agreements-events-'));
// The processes crash, and not the machine under the database.
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const server = await startPostgres({ dataDirectory: directory, settings });
try {
  const report = await runExactlyOnce({
    databaseUrl: server.url,
    transitions,
    agreements,
    longestLifeMs: life * 1_000,
    seed,
    onProgress: (message) => console.log(`${new Date().toISOString()} ${message}`),
    onLine: (line) => log && appendFileSync(log, `${line}\n`),
  });
  console.log(describeReport(report));
  if (!isFlawless(report)) process.exitCode = 1;
} finally {
  await server.stop();
  await rm(directory, { recursive: true });
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${text} is no count`);
  return Number(text);
}
