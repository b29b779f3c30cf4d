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
  /** Pairs of a quiet time and one with an attack. */
  rounds: number;
  /** Of each of both. */
  seconds: number;
  /** Words in the names of the requests that attack; undefined means all but those for evidence. */
  beside: string | undefined;
};

export type RequestsReport = {
  costs: Cost[];
  /** Routes and tools none of whose requests has succeeded. */
  unmeasured: string[];
};

export type TenantsReport = RequestsReport & {
  /** Beside a hostile principal at its rate limit. */
  attack: Factor[];
  attacked: Attacked[];
  /** Beside a fold that cannot succeed. */
  fold: Factor[];
  /** Of API and worker. */
  peakBytes: Record<string, number>;
  /** The longest turn of the worker meanwhile. */
  workerTurnMs: number;
  failures: string[];
};

/** Measures the worst requests of one principal by themselves, and then what another one notices of them. */
export function runTenants(run: TenantsRun): Promise<TenantsReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

/** Files of 64 MB at once take more of the machine than of the event loop: they attack only if asked to. */
const takesPart = (name: string, beside: string | undefined) =>
  beside === undefined ? !/evidence/i.test(name) : name.includes(beside);

/** Measures the worst requests by themselves alone. */
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

/** A machine with other work spoils a round: where the median of few is too slow, that of so many times as many decides. */
const mostTimes = 3;

/** A neighbour's times, in pairs of a quiet time and one with a disturbance right after it. */
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
    rounds.push({ quiet, disturbed });
    const { longestMs } = await worker.read();
    workerTurnMs = Math.max(workerTurnMs, longestMs / (await worker.findSlowness()));
    run.onProgress(`${what}: round ${rounds.length}`);
  }
  return { rounds, workerTurnMs };
}
