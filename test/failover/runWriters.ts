import { setTimeout as delay } from 'node:timers/promises';
import { mineSteadily } from '../support/mineSteadily.ts';
import { createServiceStack } from '../support/serviceStack.ts';
import { passTimeout } from '../support/waitUntil.ts';
import { type OnClose, withClosings } from '../support/withClosings.ts';
import { type Forwarder, startForwarder } from './support/forwarder.ts';
import { type KeptIndexer, keepIndexer } from './support/keptIndexer.ts';
import { watchWriters } from './support/watchWriters.ts';

export const disturbances = ['cut', 'stopped', 'starved', 'alone'] as const;
/**
 * The disturbance of the working indexer. `cut`: its connection to the database falls silent. `stopped`:
 * SIGSTOP holds it. `starved`: it gets a tenth of a processor. Another indexer waits meanwhile. `alone`: it
 * gets a tenth of a processor, and no other indexer waits.
 */
export type Disturbance = (typeof disturbances)[number];

export type WritersReport = {
  disturbance: Disturbance;
  /** The sessions that wrote into the index, in order. */
  turns: string[];
  /** How processes ended by themselves. */
  ends: string[];
  flaws: Record<string, string[]>;
};

const lengthsMs: Readonly<Record<Disturbance, number>> = {
  cut: 90_000,
  stopped: 60_000,
  starved: 120_000,
  alone: 120_000,
};
const dutyMs = { runs: 100, stands: 900 };
const patienceMs = 300_000;
const standsBy = 'standing by';

/**
 * Disturbs the working indexer. Reports whether only one session wrote at any time, how often indexers ended,
 * and whether one still works.
 */
export function runWriters(run: {
  databaseUrl: string;
  disturbance: Disturbance;
  onProgress(message: string): void;
  onLine(line: string): void;
}): Promise<WritersReport> {
  return withClosings((onClose) => runWith(run, onClose));
}

async function runWith(run: Parameters<typeof runWriters>[0], onClose: OnClose): Promise<WritersReport> {
  const { databaseUrl, disturbance, onLine } = run;
  const stack = await createServiceStack({ databaseUrl, wallets: 1 });
  onClose(stack.close);
  const blocks = mineSteadily(stack);
  onClose(blocks.stop);
  const direct = new URL(databaseUrl);
  const forwarder = await startForwarder(Number(direct.port));
  onClose(forwarder.close);
  const forwarded = new URL(databaseUrl);
  forwarded.port = String(forwarder.port);

  const first = await keepIndexer(stack, { name: 'first', databaseUrl: forwarded.href, onLine });
  onClose(first.kill);
  const writers = await watchWriters(stack.pool);
  await first.awaitLine('Started live indexing');
  const indexers = [first];
  if (disturbance !== 'alone') {
    const second = await keepIndexer(stack, { name: 'second', databaseUrl, onLine });
    onClose(second.kill);
    await second.awaitLine(standsBy);
    indexers.push(second);
  }
  const before = await stack.client.getBlockNumber();
  await writers.awaitHead(stack.chainId, before, patienceMs);
  run.onProgress(`${disturbance}: the indexers run`);
  await disturb(disturbance, { first, forwarder });
  // A replaced indexer starts again and waits.
  if (first.ends.length > 0) await first.awaitLine(standsBy).catch(passTimeout);
  const newest = await stack.client.getBlockNumber();
  const behind: string[] = [];
  await writers.awaitHead(stack.chainId, newest, patienceMs).catch((error: unknown) => {
    passTimeout(error);
    behind.push(`block ${newest} was never indexed`);
  });
  const turns = await writers.listTurns();
  const ends = indexers.flatMap((indexer) => indexer.ends);
  return {
    disturbance,
    turns,
    ends,
    flaws: {
      'former writers that wrote again': turns.filter((session, at) => turns.indexOf(session) !== at),
      // The disturbed indexer may end once. If it is starved and alone, it has no reason to end.
      'ends too many': ends.slice(disturbance === 'alone' ? 0 : 1),
      'blocks that are missing': behind,
    },
  };
}

async function disturb(
  disturbance: Disturbance,
  { first, forwarder }: { first: KeptIndexer; forwarder: Forwarder },
): Promise<void> {
  const lengthMs = lengthsMs[disturbance];
  if (disturbance === 'cut') {
    forwarder.freeze();
    await delay(lengthMs);
    forwarder.thaw();
    return;
  }
  if (disturbance === 'stopped') {
    first.signal('SIGSTOP');
    await delay(lengthMs);
    first.signal('SIGCONT');
    // The stopped indexer notices by itself that another one has taken over.
    await first.awaitEnd();
    return;
  }
  const endsAt = performance.now() + lengthMs;
  while (performance.now() < endsAt) {
    first.signal('SIGSTOP');
    await delay(dutyMs.stands);
    first.signal('SIGCONT');
    await delay(dutyMs.runs);
  }
}
