import { Command, Option } from 'commander';
import { createPrinter, parseCount, withOwnPostgres } from '../support/longRun.ts';
import { describeReport, describeWriters } from './describeReport.ts';
import { runFailover } from './runFailover.ts';
import { type Disturbance, disturbances, runWriters } from './runWriters.ts';
import { findDebianPrograms } from './support/debianPrograms.ts';

const program = new Command('test:failover')
  .description(
    "Kills the primary of a pair of Debian's PostgreSQL under a whole service, and compares what that promised with the chain; then " +
      'disturbs the indexer at work, and looks at who writes.',
  )
  .option('--kills <count>', 'primaries to kill', parseCount, 10)
  .option('--callers <count>', 'wallets that call at the same time', parseCount, 4)
  .option('--within <seconds>', 'how soon after a promotion a write has to be served', parseCount, 15)
  .option('--seed <number>', 'decides when they die, and what callers do', parseCount, 1)
  .option('--log <file>', 'where the processes print to; nowhere by default')
  .addOption(new Option('--only <part>', 'one part of it').choices(['kills', ...disturbances]))
  .parse();
const { kills, callers, within, seed, log, only } = program.opts<{
  kills: number;
  callers: number;
  within: number;
  seed: number;
  log?: string;
  only?: 'kills' | Disturbance;
}>();

const { show, ...printing } = createPrinter(log);

if (only === undefined || only === 'kills') {
  const programs = findDebianPrograms();
  if (!programs) throw new Error('there is no PostgreSQL of Debian: apt-get install postgresql');
  const plan = { programs, kills, callers, seed, mostRecoveryMs: within * 1_000 };
  const report = await runFailover({ ...plan, ...printing });
  show(describeReport(report), report.flaws);
}
for (const disturbance of disturbances) {
  if (only !== undefined && only !== disturbance) continue;
  await withOwnPostgres(async (databaseUrl) => {
    const report = await runWriters({ databaseUrl, disturbance, ...printing });
    show(describeWriters(report), report.flaws);
  });
}
