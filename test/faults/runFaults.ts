import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { createRandom } from '../support/random.ts';
import {
  createServiceStack,
  readyLine,
  type ServiceKind,
  type ServiceStack,
} from '../support/serviceStack.ts';
import { passTimeout, waitUntil } from '../support/waitUntil.ts';
import { audit } from './support/audit.ts';
import { type Agreement, type Promised, playCaller } from './support/caller.ts';
import { type KeptProcess, type Kill, keepRunning } from './support/keepRunning.ts';
import { pointsOf } from './support/pointsOf.ts';

export type FaultRun = {
  databaseUrl: string;
  /** The total number of processes to kill. */
  kills: number;
  seed: number;
  callers: number;
  /** Ends the run early; the report covers the kills so far. */
  signal?: AbortSignal;
  onProgress(message: string): void;
  onLine(line: string): void;
};

export type FaultReport = Awaited<ReturnType<typeof audit>> & {
  seed: number;
  /** The number of processes killed at each place. */
  kills: Record<string, number>;
  deployments: number;
  inputs: number;
  /** The number of requests repeated because they got no answer. */
  retries: number;
  /** Answers that no client expects, and processes that ended by themselves. */
  unexpected: string[];
  seconds: number;
};

/**
 * Two of each kind, so that one of them can always continue. There is only one indexer, because no other
 * process does its work.
 */
const kinds: readonly ServiceKind[] = ['api', 'api', 'worker', 'worker', 'indexer'];
const longestLifeMs: Record<ServiceKind, number> = { api: 6_000, worker: 8_000, indexer: 60_000 };
const settings = {
  RELAYER_POLL_MS: '250',
  RELAYER_LEASE_MS: '1000',
  RELAYER_RESEND_SECONDS: '1',
  RELAYER_REPLACE_SECONDS: '10',
  SIGNING_WAIT_MS: '3000',
  DEPLOY_WAIT_MS: '3000',
};
const wallets = 2;
const miningTurnMs = 5_000;
const settleMs = 300_000;

/**
 * Kills the processes of a whole service repeatedly, at every fault point and in between, while callers
 * deploy agreements and send inputs. Then it waits until nothing is under way, and compares everything
 * promised and served with the chain.
 */
export async function runFaults(run: FaultRun): Promise<FaultReport> {
  const stack = await createServiceStack({ databaseUrl: run.databaseUrl, wallets, env: settings });
  const kept: KeptProcess[] = [];
  try {
    return await runOn(stack, run, kept);
  } finally {
    await Promise.all(kept.map((process) => process.stop()));
    await stack.close();
  }
}

async function runOn(stack: ServiceStack, run: FaultRun, kept: KeptProcess[]): Promise<FaultReport> {
  const startedAt = performance.now();
  const kills: Record<string, number> = {};
  const unexpected: string[] = [];
  let killed = 0;
  let retries = 0;
  const isOver = () => killed >= run.kills || run.signal?.aborted === true;
  const noteKill = (kind: ServiceKind, kill: Kill) => {
    const name = `${kind} ${kill}`;
    kills[name] = (kills[name] ?? 0) + 1;
    if (++killed % 50 === 0) run.onProgress(`${killed} killed, ${promised.inputs.length} inputs answered`);
  };
  const promised: Promised = { deployments: [], inputs: [] };
  const agreements: Agreement[] = [];

  const baseUrls: string[] = [];
  for (const [at, kind] of kinds.entries()) {
    const port = String(await findFreePort());
    if (kind === 'api') baseUrls.push(`http://127.0.0.1:${port}`);
    kept.push(
      keepRunning({
        start: (env, onReady) =>
          stack.start(kind, {
            env: { ...(kind === 'api' && { PORT: port }), ...env },
            onLine(line) {
              if (readyLine.test(line)) onReady();
              run.onLine(`${kind} ${at}: ${line}`);
            },
          }),
        points: pointsOf[kind],
        random: createRandom(run.seed * 1_000 + at),
        longestMs: longestLifeMs[kind],
        onKill: (kill) => noteKill(kind, kill),
        onCrash: (description) => unexpected.push(`${kind} ${description}`),
      }),
    );
  }
  await stack.awaitReady();
  run.onProgress('everything runs');
  for (const process of kept) process.doom();

  const mining = mineInTurns(stack, { random: createRandom(run.seed), isOver });
  const callers = Array.from({ length: run.callers }, (_, at) =>
    playCaller({
      stack,
      baseUrls,
      random: createRandom(run.seed * 1_000 + 500 + at),
      agreements,
      promised,
      isOver,
      onRetry: () => retries++,
      onRefusal: (description) => unexpected.push(description),
    }),
  );
  await waitUntil('enough were killed', isOver, Number.POSITIVE_INFINITY);
  await mining;
  for (const process of kept) process.spare();
  await Promise.all(callers);

  run.onProgress(`${killed} killed, waiting for the rest`);
  await awaitRest(stack);
  await Promise.all(baseUrls.map(awaitAnswers));
  const found = await audit(stack, { promised, baseUrl: baseUrls[0] ?? '' });
  return {
    ...found,
    seed: run.seed,
    kills: Object.fromEntries(Object.entries(kills).toSorted(([one], [other]) => one.localeCompare(other))),
    deployments: promised.deployments.length,
    inputs: promised.inputs.length,
    retries,
    unexpected,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
}

/** Makes blocks at once for a while, then one every second, so that transactions also wait in the mempool. */
async function mineInTurns(
  { client }: ServiceStack,
  { random, isOver }: { random(): number; isOver(): boolean },
): Promise<void> {
  while (!isOver()) {
    const isAtOnce = random() < 0.6;
    await client.setAutomine(isAtOnce);
    await client.setIntervalMining({ interval: isAtOnce ? 0 : 1 });
    const turnEndsAt = performance.now() + miningTurnMs;
    await waitUntil('the turn is over', () => isOver() || performance.now() > turnEndsAt, 2 * miningTurnMs);
  }
  // On a chain without new blocks, an indexer that has just started shows nothing of the past, so the chain
  // continues.
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 1 });
}

/** The last kill of an API may be so recent that the API does not listen yet. */
async function awaitAnswers(baseUrl: string): Promise<void> {
  const answers = () =>
    fetch(`${baseUrl}/v0/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil('the API answers', answers, settleMs);
}

/** Waits until nothing is under way. If that takes too long, the audit reports the rest as jammed. */
async function awaitRest(stack: ServiceStack): Promise<void> {
  const query = `select 1 from service.transactions where state in ('accepted', 'signed', 'broadcast') limit 1`;
  const rest = waitUntil(
    'the outbox is done',
    async () => (await stack.pool.query(query)).rowCount === 0,
    settleMs,
  );
  await rest.catch(passTimeout);
  await waitUntil(
    'the counters are those of the chain',
    async () => {
      const { rows } = await stack.pool.query<{ address: `0x${string}`; next_nonce: string }>(
        'select address, next_nonce from service.relayer_wallets',
      );
      const counts = await Promise.all(
        rows.map(({ address }) => stack.client.getTransactionCount({ address })),
      );
      return rows.every(({ next_nonce }, at) => Number(next_nonce) === counts[at]);
    },
    settleMs,
  ).catch(passTimeout);
  // Only an indexer that already follows the chain will see its last block.
  await stack.awaitNewBlock().catch(passTimeout);
  await stack.client.setIntervalMining({ interval: 0 });
  await stack.awaitFolded(settleMs).catch(passTimeout);
}
