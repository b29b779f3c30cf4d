import { z } from 'zod';
import type { Child } from '../../src/platform/supervision/child.ts';
import { faultPoints } from '../../src/platform/supervision/faultPoint.ts';
import { type KeptProcess, keepRunning } from '../faults/support/keepRunning.ts';
import { createRandom, pick } from '../support/random.ts';
import { passTimeout, waitUntil } from '../support/waitUntil.ts';
import { type OnClose, withClosings } from '../support/withClosings.ts';
import { type Audit, audit } from './support/audit.ts';
import type { Chain } from './support/chain.ts';
import { type Play, playChain } from './support/playChain.ts';
import { startPoller } from './support/poller.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { confirmations, createStack, type Stack } from './support/stack.ts';
import { type Agreement, deployAgreement } from './support/submissions.ts';

export type ExactlyOnceRun = {
  databaseUrl: string;
  /** The minimum number of transitions on all chains together. */
  transitions: number;
  /** The number of agreements on each chain. */
  agreements: number;
  /** The longest time that a worker lives before it is killed, in milliseconds. */
  longestLifeMs: number;
  seed: number;
  onProgress(message: string): void;
  onLine(line: string): void;
};

export type ExactlyOnceReport = Audit & {
  seed: number;
  seconds: number;
  /** The number of workers killed at each place. */
  kills: Record<string, number>;
  /** Reorgs, and restarts of the indexer. */
  interruptions: string[];
  /** The number of events that a reorg withdrew and whose transactions did not come back. */
  withdrawn: number;
  /** Processes that ended by themselves. */
  crashes: string[];
};

const settleMs = 300_000;

/**
 * Lets agreements on three chains change their states. Meanwhile it kills workers repeatedly, reorganises
 * chains, kills the indexer and makes it rebuild its index. Then it waits until nothing is under way, and
 * compares every event with the final chains.
 */
export function runExactlyOnce(run: ExactlyOnceRun): Promise<ExactlyOnceReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

async function runWith(run: ExactlyOnceRun, onClose: OnClose): Promise<ExactlyOnceReport> {
  const startedAt = performance.now();
  const stack = await createStack(run);
  onClose(stack.close);
  const receiver = await startReceiver();
  onClose(receiver.close);
  const kills: Record<string, number> = {};
  const crashes: string[] = [];
  let indexer = await stack.startIndexer(0);
  onClose(() => indexer.stop());
  await startApi(stack, onClose);
  const workers = [0, 1].map((at) => keepWorker(stack, { at, run, kills, crashes }));
  onClose(() => Promise.all(workers.map((worker) => worker.stop())));
  await indexer.ready();
  await awaitBlocks(stack);
  await subscribe(stack, receiver);
  const poller = startPoller(stack);
  const agreements = new Map<Chain, Agreement[]>();
  for (const chain of stack.chains) agreements.set(chain, await deployAll(stack, chain, run.agreements));
  run.onProgress(`${run.agreements * stack.chains.length} agreements are deployed`);

  for (const worker of workers) worker.doom();
  for (const chain of stack.chains) await chain.takeOver();
  const plays = stack.chains.map((chain, at) => {
    const own = agreements.get(chain) ?? [];
    return playChain({ stack, chain, agreements: own, random: createRandom(run.seed * 100 + at) });
  });
  const interruptions = await interrupt({
    run,
    plays,
    restartIndexer: async (startBlock) => {
      if (startBlock === undefined) await indexer.kill();
      else await indexer.stop();
      indexer = await stack.startIndexer(startBlock ?? 0);
      await indexer.ready().catch((error: unknown) => {
        for (const line of indexer.lines) run.onLine(`indexer: ${line}`);
        throw error;
      });
    },
  });
  for (const worker of workers) worker.spare();
  await rest(stack, plays);
  await poller.stop();
  const found = await audit({ stack, agreements, polled: poller.told, receiver });
  return {
    ...found,
    seed: run.seed,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    kills,
    interruptions,
    withdrawn: await countWithdrawn(stack),
    crashes,
  };
}

async function startApi(stack: Stack, onClose: (closing: () => Promise<unknown>) => void): Promise<void> {
  let isReady = false;
  const child: Child = stack.start('api', {
    name: 'api',
    onReady() {
      isReady = true;
    },
  });
  onClose(child.stop);
  await waitUntil('the API is ready', () => isReady, settleMs);
}

function keepWorker(
  stack: Stack,
  options: { at: number; run: ExactlyOnceRun; kills: Record<string, number>; crashes: string[] },
): KeptProcess {
  const { at, run, kills, crashes } = options;
  return keepRunning({
    start: (env, onReady) => stack.start('worker', { name: `worker ${at}`, env, onReady }),
    points: faultPoints.projector,
    random: createRandom(run.seed * 100 + 50 + at),
    longestMs: run.longestLifeMs,
    onKill(kill) {
      kills[kill] = (kills[kill] ?? 0) + 1;
    },
    onCrash: (description) => crashes.push(`worker ${description}`),
  });
}

/** Live indexing begins with the next block, and an idle chain makes no blocks by itself. */
async function awaitBlocks(stack: Stack): Promise<void> {
  await waitUntil(
    'all chains are folded',
    async () => {
      for (const chain of stack.chains) await chain.mine();
      const { rows } = await stack.pool.query('select 1 from service.projections');
      return rows.length === stack.chains.length;
    },
    settleMs,
  );
  await stack.awaitFolded(settleMs);
}

const subscriptionShape = z.object({ data: z.object({ secret: z.string() }) });

async function subscribe({ baseUrl, apiKey }: Stack, receiver: Receiver): Promise<void> {
  const response = await fetch(`${baseUrl}/v0/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url }),
  });
  if (!response.ok) throw new Error(`no subscription: ${await response.text()}`);
  receiver.setSecret(subscriptionShape.parse(await response.json()).data.secret);
}

async function deployAll(stack: Stack, chain: Chain, count: number): Promise<Agreement[]> {
  const deployed: Agreement[] = [];
  for (let at = 0; at < count; at++) deployed.push(await deployAgreement(stack, chain));
  return deployed;
}

/**
 * Lets the chains make all transitions, and disturbs a chain or the indexer after each part of them. Returns
 * what it did.
 */
async function interrupt(options: {
  run: ExactlyOnceRun;
  plays: readonly Play[];
  /** Kills the indexer and starts it again; with another first block, it rebuilds its index. */
  restartIndexer(startBlock?: number): Promise<void>;
}): Promise<string[]> {
  const { run, plays, restartIndexer } = options;
  const random = createRandom(run.seed);
  const notes: string[] = [];
  const reorganise = async (isIncluding: boolean) => {
    // The service's promise holds for reorgs that are shallower than the confirmations.
    const depth = confirmations - 1;
    const transactions = await pick(random, plays).reorganise({ depth, isIncluding });
    notes.push(
      `${depth} blocks replaced, their ${transactions} transactions ${isIncluding ? 'included again' : 'gone'}`,
    );
  };
  const steps = [
    () => reorganise(true),
    async () => {
      await restartIndexer();
      notes.push('indexer killed and started again');
    },
    () => reorganise(false),
    async () => {
      await restartIndexer(1);
      notes.push('index built anew under another schema');
    },
    () => reorganise(true),
  ];
  const count = () => plays.reduce((sum, play) => sum + play.transitions(), 0);
  const share = Math.ceil(run.transitions / plays.length / (steps.length + 1));
  const allow = (parts: number) => {
    for (const play of plays) play.allow(parts * share);
  };
  const reach = (parts: number) =>
    waitUntil(
      'the chains hold enough transitions',
      () => plays.every((play) => play.transitions() >= parts * share),
      Number.POSITIVE_INFINITY,
    );
  allow(1);
  for (const [at, step] of steps.entries()) {
    await reach(at + 1);
    // The chains continue during the disturbance.
    allow(at + 2);
    await step();
    run.onProgress(`${count()} transitions: ${notes.at(-1)}`);
  }
  await reach(steps.length + 1);
  run.onProgress(`${count()} transitions, waiting for the rest`);
  return notes;
}

/**
 * Waits until the outbox is empty, every event is confirmed and every delivery is done. If that takes too
 * long, the audit reports the rest.
 */
async function rest(stack: Stack, plays: readonly Play[]): Promise<void> {
  const isEmpty = async (query: string) => (await stack.pool.query(`${query} limit 1`)).rowCount === 0;
  await waitUntil(
    'the outbox is done',
    () => isEmpty(`select 1 from service.transactions where state in ('accepted', 'signed', 'broadcast')`),
    settleMs,
  );
  for (const play of plays) await play.stop();
  for (const chain of stack.chains) await chain.mine(confirmations);
  await stack.awaitFolded(settleMs);
  for (const [what, query] of [
    ['events are released', `select 1 from service.events where state = 'pending'`],
    ['deliveries are done', `select 1 from service.deliveries where status in ('pending', 'retry_pending')`],
  ] as const)
    await waitUntil(`all ${what}`, () => isEmpty(query), settleMs).catch(passTimeout);
}

async function countWithdrawn({ pool }: Stack): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from service.events where state = 'withdrawn'`,
  );
  return rows[0]?.count ?? 0;
}
