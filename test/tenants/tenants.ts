import { Command, Option } from 'commander';
import { parseCount, runLong } from '../support/longRun.ts';
import { withClosings } from '../support/withClosings.ts';
import { describeReport, describeRequests, listFlaws, listRequestFlaws } from './describeReport.ts';
import { describeFuzz, fuzzTime } from './fuzzTime.ts';
import { type AttackReport, listAttackFlaws, runAttacks } from './runAttacks.ts';
import { runRequests, runTenants } from './runTenants.ts';
import { startTenants } from './support/startTenants.ts';

const program = new Command('test:tenants')
  .description(
    'Sends the worst requests that the limits allow, and measures what each costs and what another principal notices.',
  )
  .option('--rounds <count>', 'pairs of a quiet time and one with an attack', parseCount, 3)
  .option('--seconds <count>', 'of each of both', parseCount, 8)
  .option('--fuzz <minutes>', 'instead: change the requests for so long, to make them cost more', parseCount)
  .addOption(new Option('--only <part>', 'a part of all').choices(['requests', 'attacks']))
  .option('--attack <words>', 'with --only attacks: those alone whose names have these words')
  .option('--beside <words>', 'of the worst requests, attack with those alone whose names have these words')
  .option('--seed <number>', 'decides how they are changed', parseCount, 1)
  .option('--log <file>', 'where costs and findings are printed to; nowhere by default')
  .parse();
const { rounds, seconds, fuzz, only, attack, beside, seed, log } = program.opts<{
  rounds: number;
  seconds: number;
  fuzz?: number;
  only?: 'requests' | 'attacks';
  attack?: string;
  beside?: string;
  seed: number;
  log?: string;
}>();

if (only === 'requests')
  await runLong({
    log,
    describeReport: describeRequests,
    listFlaws: listRequestFlaws,
    run: runRequests,
  });
else if (only === 'attacks')
  await runLong<AttackReport[]>({
    log,
    describeReport: (reports) => `${reports.length} attacks`,
    listFlaws: (reports) => ({ 'attacks that somebody else noticed': listAttackFlaws(reports) }),
    run: (parts) => runAttacks({ ...parts, only: attack }),
  });
else if (fuzz === undefined)
  await runLong({
    log,
    describeReport,
    listFlaws,
    run: (parts) => runTenants({ ...parts, rounds, seconds, beside }),
  });
else
  await runLong({
    log,
    describeReport: describeFuzz,
    listFlaws: ({ findings, failures }) => ({
      'requests that took too long': findings.map(({ name, turnMs }) => `${name}: ${turnMs.toFixed(0)} ms`),
      'requests that failed': failures,
    }),
    run: (parts) =>
      withClosings(async (onClose) => {
        const { api, apiKey, otherKeys, requests, limits } = await startTenants(parts, onClose);
        const { onProgress, onLine } = parts;
        const { bodyBytes } = limits;
        const report = await fuzzTime({
          ...{ api, apiKey, otherKeys, requests, bodyBytes, seed, onProgress },
          minutes: fuzz,
        });
        for (const found of report.longest) onLine(JSON.stringify(found));
        return report;
      }),
  });
