import { randomBytes } from 'node:crypto';
import { startReceiver } from '../exactlyOnce/support/receiver.ts';
import { audit } from '../faults/support/audit.ts';
import { type Agreement, type Promised, playCaller } from '../faults/support/caller.ts';
import { awaitRest } from '../support/awaitRest.ts';
import { mineSteadily } from '../support/mineSteadily.ts';
import { createRandom } from '../support/random.ts';
import { createServiceStack, type ServiceKind, type ServiceStack } from '../support/serviceStack.ts';
import { subscribe } from '../support/subscribe.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type OnClose, withClosings } from '../support/withClosings.ts';
import { auditEvents } from './support/auditEvents.ts';
import { type Balancer, startBalancer } from './support/balancer.ts';
import { playReader } from './support/playReader.ts';
import { type Replica, startReplica } from './support/replicas.ts';
import { watchConnections } from './support/watchConnections.ts';

export type ScaleRun = {
  databaseUrl: string;
  /** The number of times that each process is replaced. */
  rounds: number;
  /** The least number of answered writes between two replacements. */
  writesBetween: number;
  callers: number;
  readers: number;
  seed: number;
  onProgress(message: string): void;
  onLine(line: string): void;
};

export type ScaleReport = {
  seed: number;
  seconds: number;
  replaced: number;
  deployments: number;
  inputs: number;
  reads: number;
  /** The number of requests that each API has answered. */
  served: Record<string, number>;
  /** The most connections to the database, by their purpose. */
  connections: Record<string, number>;
  /** The faults by kind; if the service works correctly, the lists are empty. */
  flaws: Record<string, string[]>;
};

const kinds: readonly ServiceKind[] = ['api', 'api', 'worker', 'worker', 'indexer'];
const settings = {
  RELAYER_POLL_MS: '250',
  // Long enough for a balancer on a busy machine to notice that an API stops.
  SHUTDOWN_GRACE_MS: '8000',
  WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
  WEBHOOK_BACKOFF_SECONDS: '1',
  WEBHOOK_BACKOFF_MAX_SECONDS: '2',
  WEBHOOK_ATTEMPTS: '30',
  // A delivery that times out would be repeated.
  WEBHOOK_TIMEOUT_MS: '60000',
};
const wallets = 2;
const patienceMs = 300_000;

/**
 * Replaces every process of a service of two APIs, two workers and one indexer while callers read and write
 * through a balancer. Then it compares the answers and the announced events with the chain.
 */
export function runScale(run: ScaleRun): Promise<ScaleReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

async function runWith(run: ScaleRun, onClose: OnClose): Promise<ScaleReport> {
  const startedAt = performance.now();
  const env = { ...settings, ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  const stack = await createServiceStack({ databaseUrl: run.databaseUrl, wallets, env });
  onClose(stack.close);
  const receiver = await startReceiver();
  onClose(receiver.close);
  const balancer = await startBalancer();
  onClose(balancer.close);
  const connections = watchConnections(stack.pool);
  onClose(connections.stop);

  const replicas: Replica[] = [];
  onClose(() => Promise.all(replicas.map((replica) => replica.kill())));
  const counts: Record<ServiceKind, number> = { api: 0, worker: 0, indexer: 0 };
  const start = async (kind: ServiceKind) => {
    const name = `${kind} ${++counts[kind]}`;
    const replica = await startReplica(stack, { kind, name, balancer, onLine: run.onLine });
    replicas.push(replica);
    return replica;
  };
  const first = await Promise.all(kinds.map(start));
  await stack.awaitReady();
  await Promise.all(first.map((replica) => replica.awaitReady()));
  await subscribe({ baseUrl: balancer.baseUrl, apiKey: stack.apiKey }, receiver);
  run.onProgress('everything runs');

  const blocks = mineSteadily(stack);
  onClose(blocks.stop);
  const load = startLoad(stack, balancer, run);
  onClose(load.stop);
  const endings: string[] = [];
  let replaced = 0;
  for (let round = 0; round < run.rounds; round++) {
    for (const old of [...replicas]) {
      await load.awaitWrites(run.writesBetween);
      const next = await start(old.kind);
      await next.awaitReady();
      const flaw = await old.retire();
      if (flaw !== undefined) endings.push(flaw);
      replicas.splice(replicas.indexOf(old), 1);
      replaced++;
      run.onProgress(`another ${old.kind}; ${load.writes()} writes answered`);
    }
  }
  await load.awaitWrites(run.writesBetween);
  const reads = await load.stop();
  run.onProgress('waiting for the rest');
  await awaitRest(stack, blocks.stop);
  const { promised } = load;
  const { lost, doubled, jammed, different } = await audit(stack, { promised, baseUrl: balancer.baseUrl });
  return {
    seed: run.seed,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    replaced,
    deployments: promised.deployments.length,
    inputs: promised.inputs.length,
    reads,
    served: Object.fromEntries(balancer.served),
    connections: await connections.stop(),
    flaws: {
      lost,
      doubled,
      jammed,
      different,
      'requests that failed': [...balancer.failures, ...load.refusals],
      'processes that ended badly': endings,
      'events that were told wrongly': auditEvents(receiver, promised),
    },
  };
}

/** Callers who read and write until they are stopped, each with one request at a time. */
function startLoad(stack: ServiceStack, { baseUrl }: Balancer, run: ScaleRun) {
  const promised: Promised = { deployments: [], inputs: [] };
  const agreements: Agreement[] = [];
  const refusals: string[] = [];
  let isOver = false;
  let retries = 0;
  const shared = {
    agreements,
    isOver: () => isOver,
    onRefusal: (description: string) => refusals.push(description),
  };
  const randomOf = (at: number) => createRandom(run.seed * 1_000 + at);
  const callers = Array.from({ length: run.callers }, (_, at) =>
    playCaller({
      ...shared,
      stack,
      baseUrls: [baseUrl],
      random: randomOf(at),
      promised,
      onRetry: () => refusals.push(`a request was sent again, ${++retries} by now`),
    }),
  );
  const readers = Array.from({ length: run.readers }, (_, at) =>
    playReader({ ...shared, baseUrl, apiKey: stack.apiKey, random: randomOf(500 + at) }),
  );
  // The caller of `stop` gets the failure.
  const ended = Promise.all([Promise.all(readers), ...callers]);
  ended.catch(() => {});
  const writes = () => promised.deployments.length + promised.inputs.length;
  return {
    promised,
    refusals,
    writes,
    async awaitWrites(count: number): Promise<void> {
      const wanted = writes() + count;
      await waitUntil('more writes are answered', () => writes() >= wanted, patienceMs);
    },
    /** Returns the number of answered reads. */
    async stop(): Promise<number> {
      isOver = true;
      const [counts] = await ended;
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
