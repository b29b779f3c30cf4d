import type { LongRunParts } from '../support/longRun.ts';
import { type OnClose, withClosings } from '../support/withClosings.ts';
import { type Cost, measureRequests } from './measureRequests.ts';
import { type Attacked, createAttacker } from './support/attacker.ts';
import { compareTimes, type Factor, listDelays, type Round } from './support/compareTimes.ts';
import { createNeighbour, type Neighbour } from './support/neighbour.ts';
import type { ProbedProcess } from './support/probedProcess.ts';
import { startTenants } from './support/startTenants.ts';
import { plantStuckFold } from './support/stuckFold.ts';
import { listUnmeasured } from './support/targets.ts';

export type TenantsRun = LongRunParts & {
  /** Pairs of a quiet period and a period with an attack. */
  rounds: number;
  /** The length of each period. */
  seconds: number;
  /**
   * A part of the names of the attacking requests. Undefined means all requests except those for evidence.
   */
  beside: string | undefined;
};

export type RequestsReport = {
  costs: Cost[];
  /** Routes and tools without any successful request. */
  unmeasured: string[];
};

export type TenantsReport = RequestsReport & {
  /** The neighbour's delays during the attack of a hostile principal at its rate limit. */
  attack: Factor[];
  attacked: Attacked[];
  /** The neighbour's delays during a fold that cannot succeed. */
  fold: Factor[];
  /** The peak memory of API and worker. */
  peakBytes: Record<string, number>;
  /** The worker's longest turn meanwhile. */
  workerTurnMs: number;
  failures: string[];
};

/** Measures one principal's worst requests by themselves, and then their effect on another principal. */
export function runTenants(run: TenantsRun): Promise<TenantsReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

/**
 * Several files of 64 MB at once load the machine more than the event loop, so they attack only on request.
 */
const takesPart = (name: string, beside: string | undefined) =>
  beside === undefined ? !/evidence/i.test(name) : name.includes(beside);

/** Only measures the worst requests by themselves. */
export function runRequests(run: LongRunParts): Promise<RequestsReport> {
  return withClosings(async (onClose) => measureAlone(run, await startTenants(run, onClose), undefined));
}

async function measureAlone(
  run: LongRunParts,
  { stack, api, apiKey, requests, targets }: Awaited<ReturnType<typeof startTenants>>,
  words: string | undefined,
): Promise<RequestsReport> {
  const measured = requests.filter(({ name }) => words === undefined || name.includes(words));
  run.onProgress(`${measured.length} requests to measure, of ${targets.size} routes and tools`);
  const costs = await measureRequests({
    ...{ stack, api, apiKey, requests: measured },
    onCost: (cost) => run.onLine(JSON.stringify(cost)),
  });
  return { costs, unmeasured: words === undefined ? listUnmeasured(targets, costs) : [] };
}

async function runWith(run: TenantsRun, onClose: OnClose): Promise<TenantsReport> {
  const tenants = await startTenants(run, onClose);
  const { limits, stack, api, worker, apiKey, neighbourKey, adopter, world, requests } = tenants;
  const { costs, unmeasured } = await measureAlone(run, tenants, run.beside);
  run.onProgress('a neighbour reads and writes');
  const { baseUrl } = api;
  const neighbour = await createNeighbour(stack, { baseUrl, apiKey: neighbourKey });
  onClose(neighbour.close);
  const { read, write } = limits.rates;
  const attacker = createAttacker({
    ...{ baseUrl, apiKey },
    requests: requests.filter(({ prepare, name }) => prepare === undefined && takesPart(name, run.beside)),
    readsPerSecond: read.perSecond,
    writesPerSecond: write.perSecond,
  });
  onClose(() => attacker.close());
  await neighbour.live(2_000);
  await worker.read();
  const attacked: Attacked[] = [];
  const ofAttack = await liveBeside(run, {
    ...{ neighbour, worker, what: 'beside an attack' },
    begin: attacker.begin,
    end: async () => void attacked.push(await attacker.end()),
  });

  const stuck = await plantStuckFold(stack, { ...adopter, ...world.record, agreement: world.agreement });
  run.onProgress('a record is in quarantine, and the alert fires');
  const ofFold = await liveBeside(run, {
    ...{ neighbour, worker, what: 'beside a fold that cannot succeed' },
    begin: stuck.begin,
    end: stuck.end,
  });
  await stuck.heal();
  run.onProgress('the operator has released it, and the alert is quiet');

  const { peakBytes: ofWorker } = await worker.read();
  const { peakBytes: ofApi } = await api.read();
  const rounds = [...ofAttack.rounds, ...ofFold.rounds];
  return {
    costs,
    unmeasured,
    attack: compareTimes(ofAttack.rounds),
    attacked,
    fold: compareTimes(ofFold.rounds),
    peakBytes: { api: ofApi, worker: ofWorker },
    workerTurnMs: Math.max(ofAttack.workerTurnMs, ofFold.workerTurnMs),
    failures: rounds.flatMap(({ quiet, disturbed }) => [...quiet.failures, ...disturbed.failures]),
  };
}

/**
 * Other work on the machine can spoil a round. If the median of a few rounds is too slow, this many times as
 * many rounds decide.
 */
const mostTimes = 5;

/** A neighbour's times, in pairs of a quiet period and a disturbed period right after it. */
async function liveBeside(
  run: TenantsRun,
  options: {
    neighbour: Neighbour;
    worker: ProbedProcess;
    what: string;
    begin(): void;
    end(): Promise<void>;
  },
): Promise<{ rounds: Round[]; workerTurnMs: number }> {
  const { neighbour, worker, what, begin, end } = options;
  const rounds: Round[] = [];
  let workerTurnMs = 0;
  const isDecided = () =>
    rounds.length >= run.rounds &&
    (rounds.length >= run.rounds * mostTimes || listDelays(compareTimes(rounds)).length === 0);
  while (!isDecided()) {
    const quiet = await neighbour.live(run.seconds * 1_000);
    await worker.read();
    begin();
    const disturbed = await neighbour.live(run.seconds * 1_000);
    await end();
    const { longestMs } = await worker.read();
    const slowness = await worker.findSlowness();
    rounds.push({ quiet, disturbed, slowness });
    workerTurnMs = Math.max(workerTurnMs, longestMs / slowness);
    run.onProgress(`${what}: round ${rounds.length}`);
  }
  return { rounds, workerTurnMs };
}
