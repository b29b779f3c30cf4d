import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { EventIds } from '../events/eventIds.ts';
import { createDocumentCache } from './documentCache.ts';
import type { Fold } from './fold.ts';
import { foldChain } from './foldChain.ts';
import { classifyFoldFailure, IndexAbsentError } from './foldFailure.ts';
import type { IndexPosition } from './indexPosition.ts';

export type FoldedChain = {
  chainId: number;
  /** Blocks that must exist, the including one counted, before an event is released. */
  confirmations: number;
  /** How many blocks a reorganisation can reach back without a new start of the indexer. */
  reorgWindow: number;
};

/** A reorganisation that was folded. */
export type FoldedReorganisation = {
  chainId: number;
  /** In blocks, from the first that fell out to the head of before. */
  depth: number;
  /** Whether it reached blocks whose events may have been released. */
  isConfirmed: boolean;
  /** How many events of its blocks had been released. */
  releasedEvents: number;
};

export type ChainFolderOptions = {
  pool: pg.Pool;
  chain: FoldedChain;
  /** Asked before each fold. */
  readEventIds(): Promise<EventIds>;
  onReorganisation?: ((reorganisation: FoldedReorganisation) => void) | undefined;
  logger: Logger;
};

export type ChainFolder = {
  /** Folds soon: what the index shows then, or, with `force`, also what others have written though the index stands still. */
  wake(options?: { force: boolean }): void;
  /** Lets a fold that runs end, and starts none after it. */
  close(): Promise<void>;
};

const contentionDelayMs = 50;
const longestRestMs = 50;
const initialDelayMs = 200;
const longestDelayMs = 10_000;
/** After so many conflicts in a row the others have to wait for a fold, after the last that counts it waits for them. */
const optimisticFolds = 2;
const longestConflict = 10;

/** Folds one chain whenever it is woken, one fold after the other, again and again as long as there is more to fold. */
export function createChainFolder(options: ChainFolderOptions): ChainFolder {
  const { pool, chain, readEventIds, onReorganisation, logger: parent } = options;
  const { chainId, confirmations } = chain;
  const logger = parent.child({ chainId });
  const cache = createDocumentCache();
  let isFirst = true;
  let isWanted = false;
  let isForced = false;
  let isClosed = false;
  let isWaiting = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let conflicts = 0;

  const wake = ({ force } = { force: false }) => {
    isWanted = true;
    isForced ||= force;
    // A failure is waited out; whatever woke it meanwhile is seen then.
    if (isClosed || running || timer) return;
    running = run().finally(() => {
      running = undefined;
    });
  };
  const wakeLater = (delayMs: number) => {
    if (isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      wake({ force: true });
    }, delayMs);
  };

  const run = async () => {
    while (isWanted && !isClosed) {
      const force = isForced;
      isWanted = false;
      isForced = false;
      try {
        const startedAt = performance.now();
        const isExclusive = conflicts > optimisticFolds;
        const eventIds = await readEventIds();
        const reorgWindow = BigInt(chain.reorgWindow);
        const extent = { chainId, confirmations, reorgWindow, isFirst, isForced: force };
        const result = await foldChain({ pool, isExclusive, cache, eventIds, ...extent });
        failures = 0;
        conflicts = 0;
        if (!result) return wakeLater(contentionDelayMs);
        const durationMs = performance.now() - startedAt;
        note(result, durationMs);
        // Blocks that come one upon the other are folded together, which costs no more than each alone.
        if (result.kind === 'folded') await delay(Math.min(durationMs, longestRestMs));
      } catch (error) {
        if (!handleFailure(error)) return;
      }
    }
  };

  const note = (result: Fold, durationMs: number) => {
    if (result.kind === 'unchanged') return;
    if (result.kind === 'waiting') {
      noteWaiting('the index is behind what was folded: waiting for it', describe(result.position));
      return;
    }
    isWaiting = false;
    isFirst = false;
    const { retracted, added, records, transactions } = result;
    if (retracted.length > 0) noteRetraction(result);
    const facts = {
      added,
      retracted: retracted.length,
      records,
      transactions,
      durationMs: Math.round(durationMs),
    };
    logger.debug({ ...facts, ...describe(result.position) }, 'folded');
    if (!result.isComplete) wake({ force: true });
  };

  /** Once, however often it is found waiting. */
  const noteWaiting = (message: string, facts: object) => {
    if (!isWaiting) logger.info(facts, message);
    isWaiting = true;
  };

  const noteRetraction = ({ retracted, position, events }: Extract<Fold, { kind: 'folded' }>) => {
    const [first = position.through] = retracted;
    const depth = Number((position.foldedHead ?? position.through) - first) + 1;
    const isConfirmed = depth >= confirmations || events.released > 0;
    const facts = { retracted: retracted.length, firstBlock: String(first), depth, events };
    if (isConfirmed) logger.warn(facts, 'a reorganisation reached confirmed blocks');
    else logger.info(facts, 'a reorganisation was folded');
    onReorganisation?.({ chainId, depth, isConfirmed, releasedEvents: events.released });
  };

  /** Returns whether to fold again at once. */
  const handleFailure = (error: unknown): boolean => {
    const kind = classifyFoldFailure(error);
    if (kind === 'indexAbsent') {
      // Whoever puts the index there wakes everybody, and so does the next poll.
      const facts = error instanceof IndexAbsentError ? {} : { err: error };
      noteWaiting('the index is not there: waiting for it', facts);
      return false;
    }
    conflicts = kind === 'conflict' ? conflicts + 1 : 0;
    if (kind === 'conflict' && conflicts <= longestConflict) {
      logger.debug({ err: error }, 'a fold met another transaction and is tried again');
      wake({ force: true });
      return true;
    }
    const delayMs = Math.min(initialDelayMs * 2 ** failures, longestDelayMs);
    failures++;
    logger.error({ err: error, delayMs }, 'a fold failed and is tried again');
    wakeLater(delayMs);
    return false;
  };

  return {
    wake,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

function describe({ head, through, lastFolded }: IndexPosition) {
  return { head: head && String(head.number), through: String(through), lastFolded: String(lastFolded) };
}
