import type { LongRunParts } from '../support/longRun.ts';
import { type OnClose, withClosings } from '../support/withClosings.ts';
import { type Cost, measureRequests } from './measureRequests.ts';
import { type Attacked, createAttacker } from './support/attacker.ts';
import { compareTimes, type Factor } from './support/compareTimes.ts';
import { createNeighbour, type Times } from './support/neighbour.ts';
import { startTenants } from './support/startTenants.ts';

export type TenantsRun = LongRunParts & {
  /** Pairs of a quiet time and one with an attack. */
  rounds: number;
  /** Of each of both. */
  seconds: number;
};

export type TenantsReport = {
  costs: Cost[];
  factors: Factor[];
  attacked: Attacked[];
  /** Of API and worker. */
  peakBytes: Record<string, number>;
  /** The longest turn of the worker while the attack went on. */
  workerTurnMs: number;
  failures: string[];
};

/** Measures the worst requests of one principal by themselves, and then what another one notices of them. */
export function runTenants(run: TenantsRun): Promise<TenantsReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

async function runWith(run: TenantsRun, onClose: OnClose): Promise<TenantsReport> {
  const { limits, stack, api, worker, apiKey, neighbourKey, requests } = await startTenants(run, onClose);
  run.onProgress(`${requests.length} requests to measure`);
  const costs = await measureRequests({
    ...{ stack, api, apiKey, requests },
    onCost: (cost) => run.onLine(JSON.stringify(cost)),
  });
  run.onProgress('a neighbour reads and writes');
  const { baseUrl } = api;
  const neighbour = await createNeighbour(stack, { baseUrl, apiKey: neighbourKey });
  onClose(neighbour.close);
  const { read, write } = limits.rates;
  const attacker = createAttacker({
    ...{ baseUrl, apiKey, requests },
    readsPerSecond: read.perSecond,
    writesPerSecond: write.perSecond,
  });
  onClose(() => attacker.close());
  await neighbour.live(2_000);
  await worker.read();
  const rounds: { quiet: Times; attacked: Times }[] = [];
  const attacked: Attacked[] = [];
  for (let round = 1; round <= run.rounds; round++) {
    const quiet = await neighbour.live(run.seconds * 1_000);
    attacker.begin();
    const besides = await neighbour.live(run.seconds * 1_000);
    attacked.push(await attacker.end());
    rounds.push({ quiet, attacked: besides });
    run.onProgress(`round ${round}`);
  }
  const { longestMs: workerTurnMs, peakBytes: ofWorker } = await worker.read();
  const { peakBytes: ofApi } = await api.read();
  return {
    costs,
    factors: compareTimes(rounds),
    attacked,
    peakBytes: { api: ofApi, worker: ofWorker },
    workerTurnMs,
    failures: rounds.flatMap(({ quiet, attacked: besides }) => [...quiet.failures, ...besides.failures]),
  };
}
