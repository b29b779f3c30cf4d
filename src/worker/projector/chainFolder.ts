import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { EventIds } from '../../records/events/eventIds.ts';
import { createDocumentCache } from './documentCache.ts';
import type { Fold, FoldExtent } from './fold.ts';
import { foldChain } from './foldChain.ts';
import { classifyFoldFailure, IndexAbsentError } from './foldFailure.ts';
import type { IndexPosition } from './indexPosition.ts';
import { explainFailure } from './quarantineRecord.ts';
import { isOwnFault, RecordFoldError } from './recordFoldError.ts';
import { createSeenHeads } from './seenHeads.ts';

export type FoldedChain = {
  chainId: number;
  /** Blocks before an event is released, counting its own block. */
  confirmations: number;
  /** How many blocks back a reorg can reach without a restart of the indexer. */
  reorgWindow: number;
};

export type FoldedReorganisation = {
  chainId: number;
  /** In blocks, from the first that fell out to the former head. */
  depth: number;
  /** Whether it reached blocks whose events may have been released. */
  isConfirmed: boolean;
  /** Number of its blocks' events that had been released. */
  releasedEvents: number;
};

export type ChainFolderOptions = {
  pool: pg.Pool;
  chain: FoldedChain;
  /** Called before each fold. */
  readEventIds(): Promise<EventIds>;
  /** How long events are kept; for ever by default. */
  keptDays?: number | null | undefined;
  onReorganisation?: ((reorganisation: FoldedReorganisation) => void) | undefined;
  /** Called with the number of events that rules did not cause because of quotas. */
  onOmitted?: ((count: number) => void) | undefined;
  logger: Logger;
};

export type ChainFolder = {
  /** Folds soon, with the widest scope requested by then. */
  wake(extent: FoldExtent): void;
  /** Lets a running fold end, and starts no other. */
  close(): Promise<void>;
};

const contentionDelayMs = 50;
const longestRestMs = 50;
const initialDelayMs = 200;
const longestDelayMs = 10_000;
/** For this long after a conflict, others wait for a fold before they change records of the chain. */
const gatedMs = 10_000;
/** After this many conflicts in a row, a fold locks the table of transactions and other writers wait for it. */
const optimisticFolds = 2;
/** This many conflicts in a row are expected; more are logged like any other failure. */
const longestConflict = 10;

/** Folds one chain whenever it is woken, one fold after the other, as long as there is more to fold. */
export function createChainFolder(options: ChainFolderOptions): ChainFolder {
  const { pool, chain, readEventIds, keptDays, onReorganisation, onOmitted, logger: parent } = options;
  const { chainId, confirmations } = chain;
  const logger = parent.child({ chainId });
  const cache = createDocumentCache();
  const seenHeads = createSeenHeads(confirmations);
  let isFirst = true;
  let wanted: FoldExtent | undefined;
  let isClosed = false;
  let isWaiting = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let conflicts = 0;
  let conflictedAt = Number.NEGATIVE_INFINITY;
  /** After a failure: whether to fold records one by one, and which are known to fail. */
  let isApart = false;
  const condemned = new Map<string, string>();

  const wake = (extent: FoldExtent) => {
    wanted = widen(extent, wanted);
    // A failure is followed by a pause; wake-ups during it take effect afterwards.
    if (isClosed || running || timer) return;
    running = run().finally(() => {
      running = undefined;
    });
  };
  const wakeLater = (delayMs: number, extent: FoldExtent) => {
    if (isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      wake(extent);
    }, delayMs);
  };

  const run = async () => {
    while (wanted && !isClosed) {
      const extent = wanted;
      wanted = undefined;
      try {
        const startedAt = performance.now();
        const isGated = startedAt - conflictedAt < gatedMs;
        const isExclusive = conflicts > optimisticFolds;
        const eventIds = await readEventIds();
        const reorgWindow = BigInt(chain.reorgWindow);
        const parts = {
          chainId,
          confirmations,
          reorgWindow,
          seenHeads,
          keptDays,
          isFirst,
          extent,
          isApart,
          condemned,
        };
        const result = await foldChain({ pool, isGated, isExclusive, cache, eventIds, ...parts });
        failures = 0;
        conflicts = 0;
        // Forget them: another process may have folded these blocks.
        isApart = false;
        condemned.clear();
        if (!result) return wakeLater(contentionDelayMs, widen('rest', extent));
        const durationMs = performance.now() - startedAt;
        note(result, durationMs);
        // Blocks in quick succession are folded together, which costs no more than one alone.
        if (result.kind === 'folded') await delay(Math.min(durationMs, longestRestMs));
      } catch (error) {
        if (!handleFailure(error, extent)) return;
      }
    }
  };

  const note = (result: Fold, durationMs: number) => {
    if (result.kind === 'unchanged') return;
    if (result.kind === 'waiting') {
      noteWaiting('the index is behind the folded block; waiting', describe(result.position));
      return;
    }
    isWaiting = false;
    isFirst = false;
    const { retracted, added, records, transactions } = result;
    if (retracted.length > 0) noteRetraction(result);
    for (const { recordId: record, error } of result.quarantined) {
      logger.error({ record, reason: error }, 'folding a record failed; it is in quarantine');
    }
    for (const [record, count] of result.omitted) {
      logger.warn({ record, count }, 'rules caused no webhooks, because a quota of the day is used up');
      onOmitted?.(count);
    }
    const facts = {
      added,
      retracted: retracted.length,
      records,
      transactions,
      durationMs: Math.round(durationMs),
    };
    logger.debug({ ...facts, ...describe(result.position) }, 'folded');
    if (!result.isComplete) wake('rest');
  };

  /** Logged once, however often it has to wait again. */
  const noteWaiting = (message: string, facts: object) => {
    if (!isWaiting) logger.info(facts, message);
    isWaiting = true;
  };

  const noteRetraction = ({ retracted, position, events }: Extract<Fold, { kind: 'folded' }>) => {
    const [first = position.through] = retracted;
    const depth = Number((position.foldedHead ?? position.through) - first) + 1;
    const isConfirmed = depth >= confirmations || events.released > 0;
    const facts = { retracted: retracted.length, firstBlock: String(first), depth, events };
    if (isConfirmed) logger.warn(facts, 'a reorganisation removed confirmed blocks');
    else logger.info(facts, 'folded a reorganisation');
    onReorganisation?.({ chainId, depth, isConfirmed, releasedEvents: events.released });
  };

  /** Returns whether to fold again at once. */
  const handleFailure = (error: unknown, extent: FoldExtent): boolean => {
    const kind = classifyFoldFailure(error);
    if (kind === 'indexAbsent') {
      // The indexer wakes this process when it has created the index, and so does the next poll.
      const facts = error instanceof IndexAbsentError ? {} : { err: error };
      noteWaiting('the index is not available yet; waiting', facts);
      return false;
    }
    conflicts = kind === 'conflict' ? conflicts + 1 : 0;
    if (kind === 'conflict') conflictedAt = performance.now();
    if (kind === 'conflict' && conflicts <= longestConflict) {
      logger.debug({ err: error }, 'a fold conflicted with another transaction; retrying');
      wake(widen('rest', extent));
      return true;
    }
    if (findCulprit(error)) {
      wake(widen('rest', extent));
      return true;
    }
    const delayMs = Math.min(initialDelayMs * 2 ** failures, longestDelayMs);
    failures++;
    logger.error({ err: error, delayMs }, 'a fold failed; retrying');
    wakeLater(delayMs, 'whole');
    return false;
  };

  /** Whether to fold again at once, with the failed records apart. */
  const findCulprit = (error: unknown): boolean => {
    if (error instanceof RecordFoldError && !condemned.has(error.recordId)) {
      condemned.set(error.recordId, explainFailure(error));
      return true;
    }
    if (isApart || !isOwnFault(error)) return false;
    isApart = true;
    return true;
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

const extents: readonly FoldExtent[] = ['new', 'rest', 'whole'];

function widen(extent: FoldExtent, other: FoldExtent = 'new'): FoldExtent {
  return extents.indexOf(extent) > extents.indexOf(other) ? extent : other;
}

function describe({ head, through, lastFolded }: IndexPosition) {
  return { head: head && String(head.number), through: String(through), lastFolded: String(lastFolded) };
}
