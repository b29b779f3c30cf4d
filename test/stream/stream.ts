import { Command } from 'commander';
import { parseCount, runLong } from '../support/longRun.ts';
import { describeReport, listFlaws } from './describeReport.ts';
import { runStream } from './runStream.ts';

const program = new Command('test:stream')
  .description(
    'Has many listeners follow the feed of one API, cuts one of them, and compares what each was told.',
  )
  .option('--listeners <count>', 'that follow at the same time', parseCount, 1_000)
  .option('--events <count>', 'that are written meanwhile', parseCount, 2_000)
  .option('--cuts <count>', 'of one listener, at random', parseCount, 100)
  .option('--seed <number>', 'decides when', parseCount, 1)
  .option('--log <file>', 'where memory is written to; nowhere by default')
  .parse();
const { log, ...options } = program.opts<{
  listeners: number;
  events: number;
  cuts: number;
  seed: number;
  log?: string;
}>();

await runLong({ log, describeReport, listFlaws, run: (parts) => runStream({ ...parts, ...options }) });
