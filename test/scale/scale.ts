import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startPostgres } from '../../src/api/dev/postgres.ts';
import { describeReport, isFlawless } from './describeReport.ts';
import { runScale } from './runScale.ts';

const program = new Command('test:scale')
  .description(
    'Replaces every process of a whole service under load and compares what it answered with the chain.',
  )
  .option('--rounds <count>', 'how often each process is replaced', parseCount, 3)
  .option('--writes <count>', 'writes between two replacements', parseCount, 30)
  .option('--callers <count>', 'wallets that write at the same time', parseCount, 6)
  .option('--readers <count>', 'programs that read at the same time', parseCount, 4)
  .option('--seed <number>', 'decides what callers do', parseCount, 1)
  .option('--log <file>', 'where the processes print to; nowhere by default')
  .parse();
const { rounds, writes, callers, readers, seed, log } = program.opts<{
  rounds: number;
  writes: number;
  callers: number;
  readers: number;
  seed: number;
  log?: string;
}>();

const directory = await mkdtemp(join(tmpdir(), 'agreements-scale-'));
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const server = await startPostgres({ dataDirectory: directory, settings });
try {
  const report = await runScale({
    databaseUrl: server.url,
    rounds,
    writesBetween: writes,
    callers,
    readers,
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
