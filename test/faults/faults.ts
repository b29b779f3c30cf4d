import { Command, Option } from 'commander';
import { createPrinter, parseCount, withOwnPostgres } from '../support/longRun.ts';
import { describeReport, describeScenarios, listFlaws } from './describeReport.ts';
import { runFaults } from './runFaults.ts';
import { runScenarios, scenarioNames } from './runScenarios.ts';
import type { ScenarioName } from './scenarios.ts';

const program = new Command('test:faults')
  .description(
    'Kills processes of a whole service again and again and compares what it promised with the chain; then has nodes lie, chains turn ' +
      'back and callers compete, and compares again.',
  )
  .option('--runs <count>', 'processes to kill', parseCount, 1_000)
  .option('--scenarios <count>', 'scenarios to play, chosen by the seed', parseCount, 40)
  .option(
    '--seed <number>',
    'decides where processes are killed, and what callers and scenarios do',
    parseCount,
    1,
  )
  .option('--callers <count>', 'wallets that call at the same time while processes are killed', parseCount, 8)
  .option('--log <file>', 'where the processes print to; nowhere by default')
  .addOption(
    new Option('--only <part>', 'the kills, or one scenario, or all of them').choices([
      'kills',
      'scenarios',
      ...scenarioNames,
    ]),
  )
  .parse();
const { runs, scenarios, seed, callers, log, only } = program.opts<{
  runs: number;
  scenarios: number;
  seed: number;
  callers: number;
  log?: string;
  only?: 'kills' | 'scenarios' | ScenarioName;
}>();

const { show, ...printing } = createPrinter(log);

// The first Ctrl-C prints the report, the second one ends the program.
const enough = new AbortController();
process.once('SIGINT', () => enough.abort());
const { signal } = enough;

if (only === undefined || only === 'kills')
  await withOwnPostgres(async (databaseUrl) => {
    const report = await runFaults({ ...printing, databaseUrl, kills: runs, seed, callers, signal });
    show(describeReport(report), listFlaws(report));
  });
if (only !== 'kills')
  await withOwnPostgres(async (databaseUrl) => {
    const names = only === undefined || only === 'scenarios' ? scenarioNames : [only];
    const report = await runScenarios({ ...printing, databaseUrl, runs: scenarios, seed, names, signal });
    show(describeScenarios(report), report.flaws);
  });
