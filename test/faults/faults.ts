import { Command } from 'commander';
import { parseCount, runLong } from '../support/longRun.ts';
import { describeReport, listFlaws } from './describeReport.ts';
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

await runLong({
  log,
  describeReport,
  listFlaws,
  run: (parts) => runFaults({ ...parts, kills: runs, seed, callers, signal: enough.signal }),
});
