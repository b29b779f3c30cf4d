import { setTimeout as delay } from 'node:timers/promises';
import { audit, type Findings } from '../faults/support/audit.ts';
import { auditEvents } from '../scale/support/auditEvents.ts';
import { awaitRest } from '../support/awaitRest.ts';
import { createRandom } from '../support/random.ts';
import { type OnClose, withClosings } from '../support/withClosings.ts';
import { type Death, deaths, startDatabasePair } from './support/databasePair.ts';
import { startLoad } from './support/load.ts';
import { measureRecovery, type Recovery } from './support/recovery.ts';
import { startWholeService } from './support/wholeService.ts';

export type FailoverRun = {
  programs: string;
  kills: number;
  callers: number;
  seed: number;
  /** The longest time from a promotion until a write is served as mined. */
  mostRecoveryMs: number;
  onProgress(message: string): void;
  onLine(line: string): void;
};

export type FailoverReport = {
  seed: number;
  seconds: number;
  failovers: ({ death: Death } & Recovery)[];
  deployments: number;
  inputs: number;
  /** The number of repeated requests. */
  retries: number;
  events: number;
  /**
   * The number of events that a receiver got again, under the same id, because the database with its answer
   * was lost.
   */
  toldAgain: number;
  /** Processes that ended and were started again. */
  restarts: string[];
  flaws: Findings & Record<string, string[]>;
};

/** The number of answered writes between a standby that follows and the next kill. */
const writesBetween = 20;
/** The longest time until an operator decides that the primary is gone. */
const longestNoticeMs = 4_000;

/**
 * Kills the primary of a PostgreSQL pair repeatedly while callers deploy agreements and send inputs. Each
 * time it promotes the standby and makes another one. Then it waits until nothing is under way, and compares
 * the answers, the served data and the announced events with the chain.
 */
export function runFailover(run: FailoverRun): Promise<FailoverReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

async function runWith(run: FailoverRun, onClose: OnClose): Promise<FailoverReport> {
  const startedAt = performance.now();
  const random = createRandom(run.seed);
  const pair = await startDatabasePair({ programs: run.programs, onClose });
  const service = await startWholeService({ databaseUrl: pair.url, onClose, onLine: run.onLine });
  const { stack, receiver, blocks, baseUrl, restarts } = service;
  const load = startLoad(stack, { baseUrl, callers: run.callers, seed: run.seed });
  onClose(load.stop);
  const probe = load.createProbe();
  const agreement = await probe.deploy();
  if (!agreement) throw new Error(`nothing is deployed: ${load.refusals.join(', ')}`);
  run.onProgress('everything runs');

  const failovers: FailoverReport['failovers'] = [];
  for (let transitions = 0; transitions < run.kills; transitions++) {
    await load.awaitWrites(writesBetween);
    await delay(1_000 * random());
    const death = deaths[transitions % deaths.length] ?? 'told';
    run.onLine(`--- the primary dies (${death})`);
    await pair.killPrimary(death);
    await delay(longestNoticeMs * random());
    await pair.promote();
    run.onLine('--- the standby is the primary');
    const [recovery] = await Promise.all([
      measureRecovery(service, { probe, agreement, transitions }),
      pair.rebuild(),
    ]);
    failovers.push({ death, ...recovery });
    run.onProgress(describeRecovery(failovers.length, { death, ...recovery }));
  }
  await load.awaitWrites(writesBetween);
  await load.stop();
  run.onProgress('waiting for the rest');
  await awaitRest(stack, blocks.stop);
  const { promised, refusals } = load;
  const { lost, doubled, jammed, different } = await audit(stack, { promised, baseUrl });
  const received = [...receiver.received.values()];
  return {
    seed: run.seed,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    failovers,
    deployments: promised.deployments.length,
    inputs: promised.inputs.length,
    retries: load.retries(),
    events: received.length,
    toldAgain: received.filter(({ accepted }) => accepted > 1).length,
    restarts,
    flaws: {
      ...{ lost, doubled, jammed, different },
      'requests that failed': refusals,
      'events that were told wrongly': auditEvents(receiver, promised, { mayRepeat: true }),
      'returns that took too long': failovers
        .filter(({ servedMs }) => servedMs > run.mostRecoveryMs)
        .map(({ servedMs }) => `${servedMs} ms`),
      // The indexer ends when it loses its lock, since another one may be working by then.
      'processes that ended': restarts.filter((restart) => !restart.startsWith('the indexer')),
    },
  };
}

export function describeRecovery(
  number: number,
  { death, answeredMs, servedMs, toldMs }: { death: Death } & Recovery,
): string {
  return `${String(number).padStart(3)} (${death}): after the promotion a write was answered in ${answeredMs} ms, served as mined in ${servedMs} ms, told in ${toldMs} ms`;
}
