import { Command } from 'commander';
import { parseCount, runLong } from '../support/longRun.ts';
import { describeReport, listFlaws } from './describeReport.ts';
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

await runLong({
  log,
  describeReport,
  listFlaws,
  run: (parts) => runExactlyOnce({ ...parts, transitions, agreements, longestLifeMs: life * 1_000, seed }),
});
