import { Command } from 'commander';
import { parseCount, runLong } from '../support/longRun.ts';
import { describeReport, listFlaws } from './describeReport.ts';
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

await runLong({
  log,
  describeReport,
  listFlaws,
  run: (parts) => runScale({ ...parts, rounds, writesBetween: writes, callers, readers, seed }),
});
