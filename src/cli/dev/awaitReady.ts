import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.ts';
import { type DevChain, readLatestBlock } from './devChain.ts';
import {
  areWalletsReady,
  findIndexedBlocks,
  findProjectedBlocks,
  hasReached,
  isApiHealthy,
  isIndexerLive,
} from './devReady.ts';
import type { Progress } from './progress.ts';

const pollMs = 100;
const timeoutMs = 300_000;

type Waiting = { progress: Progress; signal: AbortSignal };

/** Waits until the API answers and the indexer has caught up with the past. */
export async function awaitIndexer(
  options: Waiting & { baseUrl: string; indexerUrl: string },
): Promise<void> {
  const { baseUrl, indexerUrl, progress, signal } = options;
  await progress.step(
    'API',
    () => waitUntil('the API', () => isApiHealthy(baseUrl), signal),
    () => baseUrl,
  );
  await progress.step(
    'Indexer',
    () => waitUntil('the indexer', () => isIndexerLive(indexerUrl), signal),
    () => indexerUrl,
  );
}

/**
 * Waits until the latest block of every chain is indexed and folded, and the relay has wallets to send with,
 * so that the next request succeeds.
 */
export async function awaitWorker(
  options: Waiting & { database: Database; chains: readonly DevChain[] },
): Promise<void> {
  const { database, chains, progress, signal } = options;
  const latest = new Map<number, bigint>();
  for (const chain of chains) latest.set(chain.chain.chainId, await readLatestBlock(chain));
  const isWorking = async () =>
    hasReached(await findIndexedBlocks(database), latest) &&
    hasReached(await findProjectedBlocks(database), latest) &&
    (await areWalletsReady(database, [...latest.keys()]));
  await progress.step(
    'Worker',
    () => waitUntil('the worker', isWorking, signal),
    () => 'index live and relayers funded on every chain',
  );
}

/** Polls a condition; after five minutes it fails with the name of the condition. */
async function waitUntil(what: string, ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const overdueAt = Date.now() + timeoutMs;
  while (!(await ask())) {
    if (Date.now() > overdueAt) throw new Error(`gave up waiting for ${what} after ${timeoutMs / 1000} s`);
    await delay(pollMs, undefined, { signal });
  }
}
