import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startPostgres } from '../../src/api/dev/postgres.ts';
import { describeReport, isFlawless } from './describeReport.ts';
import { runFaults } from './runFaults.ts';

const program = new Command('test:faults')
  .description(
    'Kills processes of a whole service again and again and compares what it promised with the chain.',
  )
  .option('--runs <count>', 'processes to kill', parseCount, 1_000)
  .option('--seed <number>', 'decides where they are killed, and what callers do', parseCount, 1)
  .option('--callers <count>', 'wallets that call at the same time', parseCount, 8)
  .option('--log <file>', 'where the processes print to; nowhere by default')
  .parse();
const { runs, seed, callers, log } = program.opts<{
  runs: number;
  seed: number;
  callers: number;
  log?: string;
}>();

// The first Ctrl-C is for the report, the second one ends the program.
const enough = new AbortController();
process.once('SIGINT', () => enough.abort());

const directory = await mkdtemp(join(tmpdir(), 'agreements-faults-'));
// The processes crash, and not the machine under the database.
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const server = await startPostgres({ dataDirectory: directory, settings });
try {
  const report = await runFaults({
    databaseUrl: server.url,
    kills: runs,
    seed,
    callers,
    signal: enough.signal,
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
